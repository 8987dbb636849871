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

export const observe = defineSignal<[Observation]>('observe');
export const suspend = defineSignal<[RequestedBy]>('suspend');
export const resume = defineSignal<[RequestedBy]>('resume');
export const stateQuery = defineQuery<JobState>('state');
