import type { ApprovalRequest } from '../decision/invariants/approval.ts';
import type { DeletedContent, InEpoch, ObservedContent, RecordedEvent } from '../ledger/recorded-event.ts';
import type { SnapshotContent } from '../decision/snapshot-content.ts';
import type { DecisionContentOf, FoldedContent, OutcomeContent } from '../decision/stream.ts';
import type { CronJob, Job } from '../kubernetes/objects.ts';
import type { CronCommand } from './commands.ts';
import type { CronOutcome } from './outcomes.ts';
import type { CronSettings } from './settings.ts';
import type { CronJobState } from './state.ts';

/** The fields that every event of a CronJob contains. */
export interface OfCronJob {
  cluster: string;
  cronJobUid: string;
}

/** `withoutTemplate` means that the template of a large object was left out. */
export type CronJobObserved = RecordedEvent<
  'cronjob.observed',
  OfCronJob & ObservedContent<CronJob> & { withoutTemplate?: true }
>;

export type CronJobDeleted = RecordedEvent<'cronjob.deleted', OfCronJob & DeletedContent<CronJob>>;

/** A Job whose controller is, or was, the CronJob. `listedAt` as for pods. */
export type ChildObserved = RecordedEvent<
  'job.observed',
  OfCronJob & ObservedContent<Job> & { withoutTemplate?: true; listedAt?: string }
>;

export type ChildDeleted = RecordedEvent<
  'job.deleted',
  OfCronJob & { childUid: string; childName: string } & DeletedContent<Job>
>;

/**
 * The watch of the Jobs of the CronJob's namespace has reached `resourceVersion`: the stream contains everything up
 * to that version before this event.
 */
export type WatchPassed = RecordedEvent<
  'watch.passed',
  OfCronJob & InEpoch & { resource: 'jobs'; resourceVersion: string }
>;

/** A person's request, which is an approval with the fields of an approval for a Job. */
export type CronRequested = RecordedEvent<'request.received', OfCronJob & ApprovalRequest>;

/**
 * A decision about a CronJob; `DecisionContentOf` describes the fields. `settings` has the rules of the used
 * time zones.
 */
export type CronDecisionContent = OfCronJob & DecisionContentOf<CronCommand, CronSettings>;

export type CronJobDecided = RecordedEvent<'cronjob.decided', CronDecisionContent>;

export type CronJobFolded = RecordedEvent<'cronjob.folded', OfCronJob & FoldedContent>;

export type CronOutcomeRecorded = RecordedEvent<'outcome.recorded', OfCronJob & OutcomeContent<CronOutcome>>;

/** This event corresponds to the event of a Job with the same name. */
export type CronJobSnapshotted = RecordedEvent<
  'cronjob.snapshotted',
  OfCronJob & SnapshotContent<CronJobState>
>;

export type CronJobEvent =
  | CronJobObserved
  | CronJobDeleted
  | ChildObserved
  | ChildDeleted
  | WatchPassed
  | CronRequested
  | CronJobDecided
  | CronJobFolded
  | CronOutcomeRecorded
  | CronJobSnapshotted;
