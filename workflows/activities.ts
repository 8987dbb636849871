import type { CommandAnswered, CommandReceived, Unstamped } from './job/events.ts';
import type { DecisionRecord } from './job/record/decision-record.ts';
import type { Sync } from './job/decide/sync-metrics.ts';
import type { JobState } from './job/state.ts';

/** The Job that an order is about. */
export interface JobRef {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
}

/** One decision to record and to carry out. */
export interface CarryOutInput extends DecisionRecord {
  job: JobRef;
  /** For the metrics, beside what commands and outcomes tell; null when it is no sync. */
  sync: Sync | null;
  /** People's wishes that the decision folded: they stand in the ledger before it. */
  received: Unstamped<CommandReceived>[];
}

/** The port: all that the workflows ask of the world. */
export interface JobActivities {
  /**
   * Appends the decision, then sends its commands in order, then appends the outcomes and returns them. It may run
   * again for the same order: names and preconditions make each command harmless the second time.
   */
  carryOut(order: CarryOutInput): Promise<Unstamped<CommandAnswered>[]>;
  /** The state of a Job from its stream in the ledger. */
  recall(job: JobRef): Promise<JobState>;
}
