import type { ApiFailure } from '../job/outcomes.ts';
import type { CronChildRef } from './commands.ts';
import type { ChildFacts, CronJobFacts } from './facts.ts';

/** The outcome for one Job of a deletion. 404, and 409 for another UID, mean that it no longer existed. */
export type DeletionOutcome = CronChildRef & ({ result: 'done' } | { result: 'failed'; error: ApiFailure });

/** `gone` also when another Job has the name; `job` when its controller is the CronJob. */
export type LookUpOutcome = CronChildRef &
  ({ result: 'found'; job?: ChildFacts } | { result: 'gone' } | { result: 'failed'; error: ApiFailure });

/** The outcome of each kind of command; `skipped` for every command after one that failed. */
export type CronOutcome =
  /** `existing`: an earlier attempt had created it (J-9.38). `createdAt` as the API writes it. */
  (
    | { kind: 'CreateJob'; result: 'created'; job: ChildFacts; createdAt: string; existing?: true }
    /** A Job of another controller has the name. */
    | { kind: 'CreateJob'; result: 'taken' }
    /** The CronJob no longer exists. */
    | { kind: 'CreateJob'; result: 'gone' }
    | { kind: 'CreateJob'; result: 'failed'; error: ApiFailure; namespaceTerminating?: true }
    | { kind: 'DeleteJobs'; jobs: DeletionOutcome[] }
    /** Jobs after the first error are absent; `reading`: the error came from the GET. */
    | { kind: 'ReplaceJobs'; jobs: DeletionOutcome[]; reading?: true }
    | { kind: 'WriteStatus'; result: 'written' | 'conflict'; cronJob: CronJobFacts }
    | { kind: 'WriteStatus'; result: 'gone' }
    | { kind: 'WriteStatus'; result: 'failed'; error: ApiFailure }
    | { kind: 'EmitEvents' }
    | { kind: 'LookUpCronJob'; result: 'done'; cronJob: CronJobFacts | null }
    | { kind: 'LookUpCronJob'; result: 'failed'; error: ApiFailure }
    | { kind: 'LookUpJobs'; jobs: LookUpOutcome[] }
    | { kind: 'skipped' }
  ) & {
    /** Milliseconds since the epoch, by the worker's clock. */
    at: number;
  };
