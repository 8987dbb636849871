import { defineQuery, defineSignal, type SignalDefinition } from '@temporalio/workflow';
import type { Fact } from './job/facts.ts';
import type { Settings } from './job/settings.ts';

/** Facts of one Job or CronJob in ledger order, at most 500 facts and 256 KiB, and the current settings. */
export interface Observation<F = Fact, S = Settings> {
  facts: F[];
  settings: S;
  /** The number of the last decision about the object that the dispatcher has read; absent when it has read none. */
  decided?: number | undefined;
}

/** The user who made the request; absent when the user is not known. */
export interface RequestedBy {
  by: string;
}

/** The build that requests the hand-over: its task queue, and its state format. */
export interface HandOver<S = Settings> {
  taskQueue: string;
  /** The run continues on this task queue only if its own format is the same (job/record/state-format.ts). */
  stateFormat: string;
  settings: S;
}

/** The signal that brings facts and settings to a run. */
export function observeSignal<F, S>(): SignalDefinition<[Observation<F, S>]> {
  return defineSignal<[Observation<F, S>]>('observe');
}

/** The signal that requests that a run continue on the task queue of another build, with its state. */
export function handOverSignal<S>(): SignalDefinition<[HandOver<S>]> {
  return defineSignal<[HandOver<S>]>('handOver');
}

export const suspend = defineSignal<[RequestedBy]>('suspend');
export const resume = defineSignal<[RequestedBy]>('resume');
export const stateQuery = defineQuery<unknown>('state');
