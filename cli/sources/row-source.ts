import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent, JobSubmitted } from '../../workflows/job/events.ts';
import type { Grouping } from '../../services/read-model/shown/job-lists.ts';
import type { JobsOrder } from '../../services/read-model/shown/job-lists.ts';
import type { WantedJob } from '../../services/read-model/queries/find-job.ts';
import type { JobFilter } from '../../services/read-model/queries/jobs.ts';
import type { GapOfJob, LifeOfJob } from '../../services/read-model/streams/stream.ts';
import type {
  ChainView,
  ConditionView,
  JobView,
  PodView,
  ObstacleView,
  WhoView,
} from '../../services/read-model/views/jobs.ts';
import type { CronJobRunView, CronJobView } from '../../services/read-model/views/cron-jobs.ts';
import type { HomeView, PlacementView } from '../../services/read-model/views/placements.ts';

/** The key of a Job or CronJob, and its name. */
export type RowKey = Pick<JobView, 'cluster' | 'namespace' | 'name' | 'uid'>;

/** The Jobs to list, and their order. */
export interface JobsWanted extends JobFilter {
  name?: string | undefined;
  statuses?: readonly string[] | undefined;
  order?: JobsOrder | undefined;
  /** Created at this instant or later, RFC 3339. */
  createdFrom?: string | undefined;
  /** Created before this instant, RFC 3339. */
  createdBefore?: string | undefined;
  /** The object that controls the Jobs. */
  owner?: { kind: string; name: string } | undefined;
}

/** Jobs that have the same value of a property. */
export interface GroupOfJobs {
  value: string;
  job_count: number;
  /** Number of their active pods. */
  active: number;
  /** A sentence for a value that is a code; null if the value itself is a text for people. */
  message: string | null;
}

/** The source of rows and events for the verbs: the tables, or the API over them. Both sources give the same rows. */
export interface RowSource {
  /** The names of the clusters, sorted. */
  clusters(): Promise<string[]>;
  /** The Jobs, newest first or in the wanted order; an additional Job beyond the limit shows that more Jobs exist. */
  jobs(filter: JobsWanted): Promise<JobView[]>;
  /** The Jobs counted by a property, the largest group first; an additional group beyond the limit shows that more groups exist. */
  groups(filter: JobsWanted, by: Grouping): Promise<GroupOfJobs[]>;
  /** The Jobs with at least one decision, oldest first. */
  decidedJobs(filter: Pick<JobFilter, 'namespace' | 'cluster'>): Promise<JobView[]>;
  /** @throws InputError when no Job or more than one Job matches. */
  job(wanted: WantedJob): Promise<JobView>;
  /** The Job of the pod with the wanted name. */
  jobOfPod(wanted: WantedJob): Promise<JobView>;
  conditions(job: RowKey): Promise<ConditionView[]>;
  /** The recorded actions on the Job, each with the user who took it. */
  who(job: RowKey): Promise<WhoView[]>;
  /** What other programs reported to stand in the way of the Job or its pods. */
  obstacles(job: RowKey): Promise<ObstacleView[]>;
  chain(job: RowKey): Promise<ChainView[]>;
  /** Each time that a cluster got the placed Job, in order; empty for any other Job. */
  placements(job: RowKey): Promise<PlacementView[]>;
  /** The placed Job that a member runs; null for any other Job. */
  home(job: RowKey): Promise<HomeView | null>;
  pods(job: RowKey): Promise<PodView[]>;
  /** In ledger order. */
  events(job: RowKey): AsyncIterable<JobEvent>;
  /** The submitter of the Job; undefined if no submitter is recorded. */
  submission(job: RowKey): Promise<JobSubmitted | undefined>;
  /** Ids of superseded decisions. */
  superseded(job: RowKey): Promise<string[]>;
  gaps(job: RowKey & LifeOfJob): Promise<GapOfJob[]>;
  /** The rows by name; an additional row beyond the limit shows that more rows exist. */
  cronJobs(filter: JobFilter): Promise<CronJobView[]>;
  cronJob(wanted: WantedJob): Promise<CronJobView>;
  /** The next times of the schedule, RFC 3339; empty while the CronJob is suspended. */
  comingStarts(cronJob: CronJobView): Promise<string[]>;
  /** The latest first. */
  starts(cronJob: RowKey, limit: number): Promise<CronJobRunView[]>;
  /** The events in ledger order. @throws InputError when some of them are not in the tables yet. */
  cronJobEvents(cronJob: RowKey): Promise<CronJobEvent[]>;
}
