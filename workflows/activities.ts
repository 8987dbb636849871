import type { CronOutcomeRecorded } from './cron-job/events.ts';
import type { CronDecisionRecord } from './cron-job/record/decision-record.ts';
import type { ZonePeriod, ZoneRules } from './cron-job/schedule/zone.ts';
import type { CronJobState } from './cron-job/state.ts';
import type { OutcomeRecorded, RequestReceived } from './job/events.ts';
import type { Unstamped } from './ledger/recorded-event.ts';
import type { DecisionRecord } from './job/record/decision-record.ts';
import type { PlacementOutcomeRecorded, PlacementRequested } from './placement/events.ts';
import type { MemberVersion } from './placement/commands.ts';
import type { PlacedJobFacts } from './placement/facts.ts';
import type { PlacementDecisionRecord } from './placement/record/decision-record.ts';
import type { Candidates } from './placement/settings.ts';
import type { PlacementState } from './placement/state.ts';
import type { Sync } from './job/decide/sync-metrics.ts';
import type { SchedulingApi } from './job/settings.ts';
import type { JobState } from './job/state.ts';
import type { KindName } from './kind.ts';

/** Identifies an object of any kind. */
export interface ObjectRef {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
  kind: KindName;
}

/** A decision to record and carry out: the input of the activity `carryOut`. */
export interface CarryOutInput extends DecisionRecord {
  job: ObjectRef;
  /** Additional data for the metrics; null when the decision is not a sync. */
  sync: Sync | null;
  /** Requests of users that arrived as signals; they are appended to the ledger before the decision. */
  received: Unstamped<RequestReceived>[];
}

/** The result of carrying out a decision. */
export interface CarriedOut<Answered = Unstamped<OutcomeRecorded>> {
  /** Its id. In a replay, this decision may differ from the decision that the workflow has just made (docs/decisions/0057). */
  decision: string;
  /** The number of user requests that are recorded with the decision. */
  received: number;
  /** The outcomes of its commands. */
  answered: Answered[];
}

/** A decision about a CronJob to record and carry out. */
export interface CronCarryOutInput extends CronDecisionRecord {
  job: ObjectRef;
}

/** A decision about a placed Job to record and carry out. */
export interface PlacementCarryOutInput extends PlacementDecisionRecord {
  job: ObjectRef;
  received: Unstamped<PlacementRequested>[];
}

/** The input of the activity `candidates`: the placed Job, with those fields that a choice of clusters reads. */
export interface CandidatesInput {
  job: ObjectRef;
  facts: Pick<PlacedJobFacts, 'spec' | 'preferences'>;
  /** Clusters that must not be chosen. */
  except: string[];
  /** Only a cluster in which a pod fits is chosen. */
  withRoom?: boolean;
  /** The number of the grant that the choice gives, on which the name of the member depends. */
  grant: number;
  /** The member whose work is continued. */
  continued?: LeftMember;
  /**
   * The Job is spread: every cluster that can take the Job is asked, not only the first. `left` has the members of
   * grants that have ended.
   */
  spread?: { left: LeftMember[] };
}

/**
 * The member of a grant. When the grant has ended, `known` is the version of the grant that its home cluster knows.
 */
export interface LeftMember {
  grant: number;
  member: ObjectRef;
  known?: MemberVersion;
}

/** The type of the failure of a recall whose stream cannot be folded. */
export const UNUSABLE_STREAM = 'UnusableStream';

/** The activities of every kind. */
export interface FaultActivities {
  /**
   * Logs and counts a run that cannot decide because of a bug, and creates a Kubernetes Event about its object.
   * `goesOn` means that the run decides the same again and again, and continues at growing intervals.
   */
  reportFault(input: { job: ObjectRef; fault: string; goesOn?: true }): Promise<void>;
}

/** The activities: all effects of the workflows of Jobs. */
export interface JobActivities extends FaultActivities {
  /**
   * Appends the decision, sends its commands in order, then appends the outcomes and returns them. The activity may
   * run again with the same input: names and preconditions make every command idempotent.
   */
  carryOut(order: CarryOutInput): Promise<CarriedOut>;
  /** Returns the state of a Job, folded from its stream in the ledger. */
  recall(job: ObjectRef): Promise<JobState>;
  /** The API of Workloads and PodGroups that the cluster serves (J-8.1, J-8.20). */
  schedulingApi(): Promise<SchedulingApi>;
}

/** The activities of CronJobs, which correspond to those of Jobs. */
export interface CronJobActivities extends FaultActivities {
  carryOutCronJob(order: CronCarryOutInput): Promise<CarriedOut<Unstamped<CronOutcomeRecorded>>>;
  recallCronJob(job: ObjectRef): Promise<CronJobState>;
  /** The rules of time zones from the worker's time-zone data; they are recorded with the decisions that use them. */
  zoneRules(needs: ZonePeriod[]): Promise<ZoneRules[]>;
}

/** The activities of placed Jobs. */
export interface PlacementActivities extends FaultActivities {
  /** As `carryOut` of Jobs. */
  carryOutPlacedJob(input: PlacementCarryOutInput): Promise<CarriedOut<Unstamped<PlacementOutcomeRecorded>>>;
  recallPlacedJob(job: ObjectRef): Promise<PlacementState>;
  /**
   * Reads the clusters that could run the Job, with their room, and reserves the room of the chosen cluster for the
   * Job.
   */
  placementCandidates(input: CandidatesInput): Promise<Candidates>;
}
