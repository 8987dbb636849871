import type { UnixMs } from '../ledger/instants.ts';
import type { ApiFailure } from '../decision/api-failure.ts';
import type { CronChildRef, CronCommand } from './commands.ts';
import type { ChildFacts, CronJobFacts } from './facts.ts';

/** The outcome for one Job of a deletion. 404, and 409 for another UID, mean that it no longer existed. */
export type DeletionOutcome = CronChildRef & ({ result: 'done' } | { result: 'failed'; error: ApiFailure });

/** `gone` is also the result when another Job has the name; `job` is present when its controller is the CronJob. */
export type LookUpOutcome = CronChildRef &
  ({ result: 'found'; job?: ChildFacts } | { result: 'gone' } | { result: 'failed'; error: ApiFailure });

/** The outcome of each kind of command; a command after a failed command has the outcome `skipped`. */
export type CronOutcome =
  /** `existing` is true when an earlier attempt had created the Job (J-9.38). `createdAt` has the format of the API. */
  (
    | { kind: 'CreateJob'; result: 'created'; job: ChildFacts; createdAt: string; existing?: true }
    /** Another Job has the name. `by` is the controller of the Job, as text. */
    | { kind: 'CreateJob'; result: 'taken'; by: string }
    /** The CronJob no longer exists. */
    | { kind: 'CreateJob'; result: 'gone' }
    | { kind: 'CreateJob'; result: 'failed'; error: ApiFailure; namespaceTerminating?: true }
    /**
     * A request that may have been carried out got no answer, and the Job does not exist. If the Job existed, the
     * watch shows it before `after`, the version of a list that was made afterwards.
     */
    | { kind: 'CreateJob'; result: 'unknown'; after: string }
    | { kind: 'DeleteJobs'; jobs: DeletionOutcome[] }
    /** The list has no Jobs after the first error; `reading` is true when the error came from the GET. */
    | { kind: 'ReplaceJobs'; jobs: DeletionOutcome[]; reading?: true }
    | { kind: 'WriteStatus'; result: 'written' | 'conflict'; cronJob: CronJobFacts }
    | { kind: 'WriteStatus'; result: 'gone' }
    | { kind: 'WriteStatus'; result: 'failed'; error: ApiFailure }
    | { kind: 'EmitEvents' }
    | { kind: 'LookUpCronJob'; result: 'done'; cronJob: CronJobFacts | null }
    | { kind: 'LookUpCronJob'; result: 'failed'; error: ApiFailure }
    | { kind: 'LookUpJobs'; jobs: LookUpOutcome[] }
    /**
     * `after` is the awaited version; `passed` means that `watch.passed` is in the stream. `reached` is null when the
     * version is not known.
     */
    | { kind: 'AwaitWatch'; result: 'passed' | 'behind'; after: string; reached: string | null }
    /**
     * No request was sent for a command of kind `commandKind`, because its preconditions no longer hold; `cronJob` is
     * the present CronJob on the server.
     */
    | { kind: 'stale'; commandKind: CronCommand['kind']; why: string; cronJob: CronJobFacts }
    | { kind: 'skipped' }
  ) & {
    /** The time by the worker's clock. */
    at: UnixMs;
  };
