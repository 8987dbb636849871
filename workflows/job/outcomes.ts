import type { ApiFailure } from '../decision/api-failure.ts';
import type { UnixMs } from '../ledger/instants.ts';
import type { Command } from './commands.ts';
import type { JobFacts } from '../batch/facts.ts';
import type { PodFacts } from './facts.ts';
import type { Gang } from './gang.ts';

/** The outcome for one pod of a command. */
export type PodOutcome =
  /** `resourceVersion` is the version of the pod after the command, if the API returned it. */
  | { name: string; uid: string; result: 'done'; resourceVersion?: string }
  /** The pod no longer existed. */
  | { name: string; uid: string; result: 'gone' }
  | { name: string; uid: string; result: 'failed'; error: ApiFailure };

/** The outcome of creating one pod. */
export type CreationOutcome =
  /**
   * The pod exists, and was created now or by an earlier attempt of the same command; `pod` is the pod that an
   * earlier attempt created.
   */
  | { ordinal: number; name: string; result: 'created'; uid: string; resourceVersion: string; pod?: PodFacts }
  /** Another pod has the name, so the ordinal of the name cannot be used any more. */
  | { ordinal: number; name: string; result: 'taken' }
  | { ordinal: number; name: string; result: 'failed'; error: ApiFailure }
  /** No creation of the pod was sent, because a pod of an earlier batch failed (J-5.18). */
  | { ordinal: number; name: string; result: 'skipped' };

/** The outcome of each kind of command. `skipped` applies to every command after a failed command. */
export type Outcome = (
  | { kind: 'CreatePods'; generation: number; pods: CreationOutcome[]; jobGone?: true }
  | { kind: 'DeletePods'; untrack: boolean; pods: PodOutcome[] }
  | { kind: 'ReleasePods'; pods: PodOutcome[] }
  | { kind: 'AdoptPods'; pods: PodOutcome[] }
  | { kind: 'DisownPods'; pods: PodOutcome[] }
  /** `job` is the Job that the server returned, with the changes that other clients made before the write. */
  | { kind: 'WriteStatus'; result: 'written'; job: JobFacts }
  /** The status on the server was not the `from` of the command; `job` is the Job that was found. */
  | { kind: 'WriteStatus'; result: 'conflict'; job: JobFacts }
  | { kind: 'WriteStatus'; result: 'gone' }
  | { kind: 'WriteStatus'; result: 'failed'; error: ApiFailure }
  | { kind: 'EmitEvents' }
  | { kind: 'SetSuspend'; result: 'done'; request?: string; job: JobFacts }
  | { kind: 'SetSuspend'; result: 'gone'; request?: string }
  | { kind: 'SetSuspend'; result: 'failed'; request?: string; error: ApiFailure }
  | { kind: 'RefuseRequest'; request: string }
  | { kind: 'LookUpJob'; job: JobFacts | null }
  | { kind: 'LookUpPods'; pods: { name: string; uid: string; pod: PodFacts | null }[] }
  | { kind: 'DeleteJob'; result: 'done'; job: JobFacts }
  /** The live Job has not expired, or it is already being deleted. */
  | { kind: 'DeleteJob'; result: 'kept'; job: JobFacts }
  | { kind: 'DeleteJob'; result: 'gone' }
  | { kind: 'DeleteJob'; result: 'failed'; error: ApiFailure }
  /** `more` is true when there are more pods than one outcome can hold. */
  | { kind: 'LookUpOrphans'; result: 'done'; orphans: PodFacts[]; more: boolean }
  | { kind: 'LookUpOrphans'; result: 'failed'; error: ApiFailure }
  | { kind: 'EnsureGang'; result: 'done'; gang: Gang }
  | { kind: 'EnsureGang'; result: 'gone' }
  /** `creating` is the object that could not be created; absent for any other error. */
  | { kind: 'EnsureGang'; result: 'failed'; creating?: 'Workload'; error: ApiFailure }
  /**
   * No request was sent for a command of kind `commandKind`, because its preconditions have changed; `job` is the
   * present Job on the server, or null when the Job is gone.
   */
  | { kind: 'stale'; commandKind: Command['kind']; why: string; job: JobFacts | null }
  | { kind: 'skipped' }
) & {
  /** The time by the worker's clock. */
  at: UnixMs;
};
