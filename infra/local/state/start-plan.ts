import type { Group } from '../processes/start-groups.ts';
import type { Addresses } from './addresses.ts';
import type { StateDirectory } from './state-directory.ts';

/** The steps of a start, all groups in parallel, and the resulting addresses. */
export interface StartPlan {
  readonly groups: readonly Group[];
  readonly addresses: Addresses;
}

/** The parts from which a server makes its plan. */
export interface PlanContext {
  readonly state: StateDirectory;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}
