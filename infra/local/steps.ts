import type { ChildSpec } from '../processes/keep-running.ts';
import type { Addresses } from './addresses.ts';
import type { StateDirectory } from './state-directory.ts';

/** A server to start, or something to do. */
export type StartStep = ChildSpec | (() => Promise<void>);

/** What belongs together is started stage by stage, the steps of one stage side by side. */
export type Group = readonly (readonly StartStep[])[];

/** What is to be started, groups side by side, and where it will be. */
export interface StartPlan {
  readonly groups: readonly Group[];
  readonly addresses: Addresses;
}

export interface PlanContext {
  readonly state: StateDirectory;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}
