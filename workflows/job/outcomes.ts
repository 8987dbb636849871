import type { JobFacts, PodFacts } from './facts.ts';

/** An error as the API gave it. */
export interface ApiFailure {
  status: number;
  reason: string;
  message: string;
}

/** What became of one pod of a command. */
export type PodOutcome =
  /** Done: `resourceVersion` is that of the pod afterwards, where the API tells. */
  | { name: string; uid: string; result: 'done'; resourceVersion?: string }
  /** It was not there any more. */
  | { name: string; uid: string; result: 'gone' }
  | { name: string; uid: string; result: 'failed'; error: ApiFailure };

/** What became of one creation. */
export type CreationOutcome =
  /** The pod exists: created now, or by an earlier attempt of the same wish (then `pod` is how it was found). */
  | { ordinal: number; name: string; result: 'created'; uid: string; resourceVersion: string; pod?: PodFacts }
  /** The name belongs to a pod that is not the one wanted: this ordinal is spent. */
  | { ordinal: number; name: string; result: 'taken' }
  | { ordinal: number; name: string; result: 'failed'; error: ApiFailure }
  /** Not tried, because one of an earlier batch failed (J-5.18). */
  | { ordinal: number; name: string; result: 'skipped' };

/** The answer to each kind of command. `skipped` stands for any command after one that failed. */
export type Outcome = (
  | { kind: 'CreatePods'; generation: number; pods: CreationOutcome[]; jobGone?: true }
  | { kind: 'DeletePods'; untrack: boolean; pods: PodOutcome[] }
  | { kind: 'ReleasePods'; pods: PodOutcome[] }
  | { kind: 'AdoptPods'; pods: PodOutcome[] }
  | { kind: 'DisownPods'; pods: PodOutcome[] }
  /** `job` is as the server returned it: with it comes whatever others had changed below our write. */
  | { kind: 'WriteStatus'; result: 'written'; job: JobFacts }
  /** The server's Job is not as we knew it: decide again on this. */
  | { kind: 'WriteStatus'; result: 'conflict'; job: JobFacts }
  | { kind: 'WriteStatus'; result: 'gone' }
  | { kind: 'WriteStatus'; result: 'failed'; error: ApiFailure }
  | { kind: 'EmitEvents' }
  | { kind: 'SetSuspend'; result: 'done'; request: string; job: JobFacts }
  | { kind: 'SetSuspend'; result: 'gone'; request: string }
  | { kind: 'SetSuspend'; result: 'failed'; request: string; error: ApiFailure }
  | { kind: 'RefuseRequest'; request: string }
  | { kind: 'LookUpJob'; job: JobFacts | null }
  | { kind: 'LookUpPods'; pods: { name: string; uid: string; pod: PodFacts | null }[] }
  | { kind: 'DeleteJob'; result: 'done'; job: JobFacts }
  /** The live Job has not expired, or is being deleted already. */
  | { kind: 'DeleteJob'; result: 'kept'; job: JobFacts }
  | { kind: 'DeleteJob'; result: 'gone' }
  | { kind: 'DeleteJob'; result: 'failed'; error: ApiFailure }
  /** `more`: there were too many for one answer. */
  | { kind: 'LookUpOrphans'; result: 'done'; orphans: PodFacts[]; more: boolean }
  | { kind: 'LookUpOrphans'; result: 'failed'; error: ApiFailure }
  | { kind: 'skipped' }
) & {
  /** Milliseconds since the epoch, by the worker's clock. */
  at: number;
};
