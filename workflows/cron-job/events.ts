import type { UnixMs } from '../ledger/instants.ts';
import type { BrokenInvariant } from '../decision/invariants/broken.ts';
import type { ApprovalRequest } from '../decision/invariants/approval.ts';
import type { InEpoch, RecordedEvent } from '../ledger/recorded-event.ts';
import type { SnapshotContent } from '../decision/snapshot-content.ts';
import type { Reason } from '../decision/reason.ts';
import type { Folded } from '../decision/stream.ts';
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

/** `withoutTemplate` and `cut` mean that the template or the long annotations of a large object were left out. */
export type CronJobObserved = RecordedEvent<
  'cronjob.observed',
  OfCronJob & InEpoch & { object: CronJob; withoutTemplate?: true; cut?: true }
>;

/**
 * `seen: false` means that no watch reported the deletion; `object` is then absent, as it is for an object that was
 * too large.
 */
export type CronJobDeleted = RecordedEvent<
  'cronjob.deleted',
  OfCronJob & InEpoch & { resourceVersion: string; seen: boolean; object?: CronJob }
>;

/** A Job whose controller is, or was, the CronJob. `listedAt` as for pods. */
export type ChildObserved = RecordedEvent<
  'job.observed',
  OfCronJob & InEpoch & { object: Job; withoutTemplate?: true; cut?: true; listedAt?: string }
>;

export type ChildDeleted = RecordedEvent<
  'job.deleted',
  OfCronJob &
    InEpoch & { childUid: string; childName: string; resourceVersion: string; seen: boolean; object?: Job }
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
 * A decision about a CronJob; workflows/decision/stream.ts describes the fields. `settings` has the rules of the used
 * time zones.
 */
export interface CronDecisionContent extends OfCronJob {
  number: number;
  predecessor: string | null;
  firstRunId: string;
  now: UnixMs;
  core: string;
  settings: CronSettings;
  folded: Folded[];
  foldedBefore: string[];
  commands: CronCommand[];
  nextDecisionAt: UnixMs | null;
  waiting: Reason | null;
  broken?: BrokenInvariant[];
}

export type CronJobDecided = RecordedEvent<'cronjob.decided', CronDecisionContent>;

/** One part of a `folded` list that is too long for the decision's own record; `part` counts from 0. */
export type CronJobFolded = RecordedEvent<
  'cronjob.folded',
  OfCronJob & { firstRunId: string; number: number; part: number; folded: Folded[] }
>;

/** The outcome of command number `command` (from 0) of a decision. */
export type CronOutcomeRecorded = RecordedEvent<
  'outcome.recorded',
  OfCronJob & { decision: string; command: number; attempt: number; outcome: CronOutcome }
>;

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
