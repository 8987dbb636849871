import type { UnixMs } from '../job/definitions/instants.ts';
import type { ApiFailure } from '../job/outcomes.ts';
import type { PlacementCommand } from './commands.ts';
import type { MemberFacts, PlacedJobFacts } from './facts.ts';

/**
 * The pods of a member that have not ended, as listed. `unscheduledSince`: the instant since when the oldest pod has waited for a node, in
 * milliseconds; only when no pod has a node.
 */
export interface MemberPods {
  open: number;
  unscheduledSince?: UnixMs;
  /** The name of the first open pod, which a person reads in a message. */
  first?: string;
}

/**
 * The cluster of the member, or the home, did not answer in time, or refused a later step (the counters of a member that exists): the command
 * may have been carried out.
 */
interface NoAnswer {
  result: 'unanswered';
  message: string;
}

interface Refused {
  result: 'failed';
  error: ApiFailure;
}

/** The epoch in which the cluster answered, or was asked; absent before the first restore of the cluster. */
interface InEpoch {
  epoch?: number;
}

/** The outcome of each kind of command; `skipped` for every command after one that failed. */
export type PlacementOutcome = (
  | {
      kind: 'AddFinalizer' | 'RemoveFinalizer';
      result: 'done' | 'conflict';
      job: PlacedJobFacts;
    }
  | { kind: 'AddFinalizer' | 'RemoveFinalizer'; result: 'gone' }
  | ({ kind: 'AddFinalizer' | 'RemoveFinalizer' } & (Refused | NoAnswer))
  /** `existing`: an earlier attempt had created the member. */
  | {
      kind: 'CreateMember';
      result: 'created';
      member: MemberFacts;
      existing?: true;
    }
  /** A Job that we did not create has the name. */
  | ({ kind: 'CreateMember'; result: 'taken' } & InEpoch)
  /** Nothing was sent, because the placed Job has changed or is being deleted. */
  | { kind: 'CreateMember'; result: 'stale'; job: PlacedJobFacts | null }
  | ({ kind: 'CreateMember' } & (Refused | NoAnswer) & InEpoch)
  /** `isStarted`: the cluster's own Job controller counts the deadline of the guard. */
  | { kind: 'RenewGuard'; result: 'done'; uid: string; isStarted: boolean }
  /** The guard was deleted, or another Job has its name. */
  | { kind: 'RenewGuard'; result: 'gone' | 'taken' }
  | ({ kind: 'RenewGuard' } & (Refused | NoAnswer))
  | { kind: 'ReleaseGuard'; result: 'done' | 'gone' }
  | ({ kind: 'ReleaseGuard' } & (Refused | NoAnswer))
  /** `stale`: the spec of the member had changed since the decision, and nothing was sent. */
  | { kind: 'ChangeMember'; result: 'done' | 'stale'; member: MemberFacts }
  | { kind: 'ChangeMember'; result: 'gone' }
  | ({ kind: 'ChangeMember' } & (Refused | NoAnswer))
  | { kind: 'DeleteMember'; result: 'done' | 'gone' }
  | ({ kind: 'DeleteMember' } & (Refused | NoAnswer))
  /**
   * `member`: null when no Job has the UID, or our mark. `givenUp`: only the pods of these indexes were looked for; `gone`: only the pods of this
   * Job, which was deleted, were looked for. `listedAt`: the resourceVersion of a list of the Jobs of the namespace, made after the list of the pods;
   * a version lower than in an earlier answer is that of a restored copy.
   */
  | ({
      kind: 'LookUpMember';
      result: 'done';
      member: MemberFacts | null;
      pods: MemberPods;
      givenUp?: string;
      gone?: string;
      listedAt: string;
    } & InEpoch)
  | ({ kind: 'LookUpMember' } & (Refused | NoAnswer))
  | { kind: 'WriteStatus'; result: 'written' | 'conflict'; job: PlacedJobFacts }
  | { kind: 'WriteStatus'; result: 'gone' }
  | ({ kind: 'WriteStatus' } & (Refused | NoAnswer))
  | { kind: 'EndGrant' | 'ShareOut' }
  | { kind: 'EmitEvents' }
  | { kind: 'SetSuspend'; result: 'done'; request: string; job: PlacedJobFacts }
  | { kind: 'SetSuspend'; result: 'gone'; request: string }
  | ({ kind: 'SetSuspend'; request: string } & (Refused | NoAnswer))
  | { kind: 'DeleteJob'; result: 'done' | 'gone' }
  /** The live Job has not expired, or is already being deleted. */
  | { kind: 'DeleteJob'; result: 'kept'; job: PlacedJobFacts }
  | ({ kind: 'DeleteJob' } & (Refused | NoAnswer))
  | { kind: 'skipped' }
) & {
  /** The time of the outcome by the worker's clock. */
  at: UnixMs;
};

/**
 * Each cluster and the home have a lane of their own, and commands of different lanes do not wait for each other. Null: every lane waits for this
 * command, without which no member may be created (J-16.3).
 */
export function commandLane(command: PlacementCommand): string | null {
  if (command.kind === 'AddFinalizer') return null;
  return 'cluster' in command ? command.cluster : '';
}

/** True when the later commands of the same lane are skipped after this outcome. */
export function endsLane(command: PlacementCommand, outcome: PlacementOutcome): boolean {
  if (outcome.kind === 'skipped') return true;
  if ('cluster' in command) return false;
  return 'result' in outcome && ['failed', 'conflict', 'gone', 'unanswered'].includes(outcome.result);
}
