import type { UnixMs } from '../ledger/instants.ts';
import type { ApiFailure } from '../decision/api-failure.ts';
import type { PlacementCommand } from './commands.ts';
import type { MemberFacts, PlacedJobFacts } from './facts.ts';

/**
 * The pods of a member that have not ended, according to a list. `unscheduledSince` is the instant since which the
 * oldest pod has waited for a node, in milliseconds; it is present only when no pod has a node.
 */
export interface MemberPods {
  open: number;
  unscheduledSince?: UnixMs;
  /** The name of the first open pod, for the message. */
  first?: string;
}

/**
 * The cluster of the member, or the home, did not answer in time, or refused a later step (the counters of a member
 * that exists), so the command may have been carried out.
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

/** The outcome of each kind of command; a command after a failed command has the outcome `skipped`. */
export type PlacementOutcome = (
  | {
      kind: 'AddFinalizer' | 'RemoveFinalizer';
      result: 'done' | 'conflict';
      job: PlacedJobFacts;
    }
  | { kind: 'AddFinalizer' | 'RemoveFinalizer'; result: 'gone' }
  | ({ kind: 'AddFinalizer' | 'RemoveFinalizer' } & (Refused | NoAnswer))
  /** `existing` means that an earlier attempt had created the member. */
  | {
      kind: 'CreateMember';
      result: 'created';
      member: MemberFacts;
      existing?: true;
    }
  /** A Job that Jobledger did not create has the name. */
  | ({ kind: 'CreateMember'; result: 'taken' } & InEpoch)
  /** No request was sent, because the placed Job has changed or is being deleted. */
  | { kind: 'CreateMember'; result: 'stale'; job: PlacedJobFacts | null }
  | ({ kind: 'CreateMember' } & (Refused | NoAnswer) & InEpoch)
  /** `isStarted` means that the cluster's own Job controller counts the deadline of the guard. */
  | { kind: 'RenewGuard'; result: 'done'; uid: string; isStarted: boolean }
  /** The guard was deleted, or another Job has its name. */
  | { kind: 'RenewGuard'; result: 'gone' | 'taken' }
  | ({ kind: 'RenewGuard' } & (Refused | NoAnswer))
  | { kind: 'ReleaseGuard'; result: 'done' | 'gone' }
  | ({ kind: 'ReleaseGuard' } & (Refused | NoAnswer))
  /** `stale` means that the spec of the member had changed since the decision, and that no request was sent. */
  | { kind: 'ChangeMember'; result: 'done' | 'stale'; member: MemberFacts }
  | { kind: 'ChangeMember'; result: 'gone' }
  | ({ kind: 'ChangeMember' } & (Refused | NoAnswer))
  | { kind: 'DeleteMember'; result: 'done' | 'gone' }
  | ({ kind: 'DeleteMember' } & (Refused | NoAnswer))
  /**
   * `member` is null when no Job has the UID, or the mark of the grant. `givenUp` has the indexes that the
   * member gave up, when the look-up was limited to pods of these indexes; `gone` has the UID of a deleted Job, when
   * the look-up was limited to pods of this Job. `listedAt` is the resourceVersion of a list of the Jobs of
   * the namespace, which was made after the list of the pods; a version lower than the version in an earlier answer
   * comes from a restored copy.
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
  /** The live Job has not expired, or it is already being deleted. */
  | { kind: 'DeleteJob'; result: 'kept'; job: PlacedJobFacts }
  | ({ kind: 'DeleteJob' } & (Refused | NoAnswer))
  | { kind: 'skipped' }
) & {
  /** The time of the outcome by the worker's clock. */
  at: UnixMs;
};

/**
 * The lane of a command; null when every lane waits for this command, without which no member may be created
 * (J-16.3). Each cluster and the home have their own lane, and commands of different lanes do not wait for each
 * other.
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
