import type { UnixMs } from '../job/definitions/instants.ts';
import type { ApiFailure } from '../job/outcomes.ts';
import type { PlacementCommand } from './commands.ts';
import type { MemberFacts, PlacedJobFacts } from './facts.ts';

/**
 * The pods of a member that have not ended, as listed. `unscheduledSince`: since when the oldest of them has waited for a node,
 * in milliseconds; only when none of them has one.
 */
export interface MemberPods {
  open: number;
  unscheduledSince?: UnixMs;
  /** The first of them by name, for a person. */
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

/** The epoch of its versions in which the cluster answered, or was asked; absent before its first restore. */
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
  /** `existing`: an earlier attempt had created it. */
  | {
      kind: 'CreateMember';
      result: 'created';
      member: MemberFacts;
      existing?: true;
    }
  /** A Job that we did not create has the name. */
  | ({ kind: 'CreateMember'; result: 'taken' } & InEpoch)
  /** The placed Job has changed, or is being deleted: nothing was sent. */
  | { kind: 'CreateMember'; result: 'stale'; job: PlacedJobFacts | null }
  | ({ kind: 'CreateMember' } & (Refused | NoAnswer) & InEpoch)
  /** `isStarted`: the cluster's own Job controller counts the deadline. */
  | { kind: 'RenewGuard'; result: 'done'; uid: string; isStarted: boolean }
  /** It was deleted, or another Job has the name. */
  | { kind: 'RenewGuard'; result: 'gone' | 'taken' }
  | ({ kind: 'RenewGuard' } & (Refused | NoAnswer))
  | { kind: 'ReleaseGuard'; result: 'done' | 'gone' }
  | ({ kind: 'ReleaseGuard' } & (Refused | NoAnswer))
  /** `stale`: its spec had changed since the decision, and nothing was sent. */
  | { kind: 'ChangeMember'; result: 'done' | 'stale'; member: MemberFacts }
  | { kind: 'ChangeMember'; result: 'gone' }
  | ({ kind: 'ChangeMember' } & (Refused | NoAnswer))
  | { kind: 'DeleteMember'; result: 'done' | 'gone' }
  | ({ kind: 'DeleteMember' } & (Refused | NoAnswer))
  /**
   * `member`: null when there is none with the UID, or with our mark. `givenUp`: only the pods of these indexes were looked for; `gone`: only
   * those of this Job, which was deleted. `listedAt`: the resourceVersion of a list of the Jobs of the namespace, made after that of the pods; a
   * lower one than an earlier answer's is that of a restored copy.
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
  /** By the worker's clock. */
  at: UnixMs;
};

/**
 * Commands of different lanes do not wait for each other: one for each cluster, and one for the home. Null: each of them waits for this
 * command, without which no member may be created (J-16.3).
 */
export function commandLane(command: PlacementCommand): string | null {
  if (command.kind === 'AddFinalizer') return null;
  return 'cluster' in command ? command.cluster : '';
}

/** Whether the later commands of the same lane are skipped after this outcome. */
export function endsLane(command: PlacementCommand, outcome: PlacementOutcome): boolean {
  if (outcome.kind === 'skipped') return true;
  if ('cluster' in command) return false;
  return 'result' in outcome && ['failed', 'conflict', 'gone', 'unanswered'].includes(outcome.result);
}
