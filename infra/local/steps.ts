import type { ChildSpec } from '../processes/keep-running.ts';
import type { Addresses } from './addresses.ts';
import type { StateDirectory } from './state-directory.ts';

/** A server to start, or a function to run. */
export type StartStep = ChildSpec | (() => Promise<void>);

/** The stages of a start, one after another; the steps of one stage run in parallel. */
export type Group = readonly (readonly StartStep[])[];

/** The steps of a start, all groups in parallel, and the resulting addresses. */
export interface StartPlan {
  readonly groups: readonly Group[];
  readonly addresses: Addresses;
}

export interface PlanContext {
  readonly state: StateDirectory;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}
