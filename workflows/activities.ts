import type { CommandAnswered, CommandReceived, Unstamped } from './job/events.ts';
import type { DecisionRecord } from './job/record/decision-record.ts';
import type { Sync } from './job/decide/sync-metrics.ts';
import type { JobState } from './job/state.ts';

/** Identifies a Job. */
export interface JobRef {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
}

/** A decision to record and carry out: the input of the activity `carryOut`. */
export interface CarryOutInput extends DecisionRecord {
  job: JobRef;
  /** For the metrics, in addition to commands and outcomes; null when the decision is not a sync. */
  sync: Sync | null;
  /** Requests of users that arrived as signals; they are appended to the ledger before the decision. */
  received: Unstamped<CommandReceived>[];
}

/** The result of carrying out a decision. */
export interface CarriedOut {
  /** Its id. In a replay it may be another one than the workflow has just made (docs/decisions/0057). */
  decision: string;
  /** How many requests of users were recorded with it. */
  received: number;
  /** The outcomes of its commands. */
  answered: Unstamped<CommandAnswered>[];
}

/** The activities: everything that the workflows do outside of themselves. */
export interface JobActivities {
  /**
   * Appends the decision, sends its commands in order, then appends the outcomes and returns them. May run again with the
   * same input: names and preconditions make every command idempotent.
   */
  carryOut(order: CarryOutInput): Promise<CarriedOut>;
  /** Returns the state of a Job, folded from its stream in the ledger. */
  recall(job: JobRef): Promise<JobState>;
}
