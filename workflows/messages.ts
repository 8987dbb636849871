import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Fact } from './job/facts.ts';
import type { Settings } from './job/settings.ts';
import type { JobState } from './job/state.ts';

/** Facts of one Job in ledger order, at most 500 and 256 KiB, and the current settings. */
export interface Observation {
  facts: Fact[];
  settings: Settings;
}

/** The user who requests it, as far as known. */
export interface RequestedBy {
  by: string;
}

/** The build that asks: where it works, and what it works with. */
export interface HandOver {
  taskQueue: string;
  /** The run continues there only when its own is the same (job/record/state-format.ts). */
  stateFormat: string;
  settings: Settings;
}

export const observe = defineSignal<[Observation]>('observe');
export const suspend = defineSignal<[RequestedBy]>('suspend');
export const resume = defineSignal<[RequestedBy]>('resume');
/** Asks a run to continue on the task queue of another build, with its state. */
export const handOver = defineSignal<[HandOver]>('handOver');
export const stateQuery = defineQuery<JobState>('state');
