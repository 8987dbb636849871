import type { Core } from '../../cores/cores.ts';
import type { JobDecided } from '../../job/events.ts';
import type { JobState } from '../../job/state.ts';

/** The state after each decision of a stream, folded by one core. */
export interface States {
  /** The state after this decision; null gives the initial state. */
  after(decision: string | null): JobState;
  /** Whether the state after this decision is kept. */
  has(decision: string): boolean;
  keep(decision: string, state: JobState): void;
}

/** What the states are computed from: the intact decisions, and the fold of one decision. */
export interface FoldedStream {
  decisions: ReadonlyMap<string, JobDecided | null>;
  refold: (core: Core, decision: JobDecided, before: JobState) => JobState;
}

/** Which states are kept. States of big Jobs are big, so others are folded again when needed. */
export interface KeptState {
  /** The newest ones. */
  recent: number;
  /** And every `each`-th, for walking back. */
  each: number;
}

/** States that were kept, by core version, then by decision. */
export type RecentStates = Map<string, Map<string, JobState>>;

/** For walking forward. */
const NEWEST: KeptState = { recent: 8, each: Infinity };

/**
 * Each core folds the whole stream, decisions of other cores included, so that its states do not depend on those of
 * another version.
 */
export function createStates(
  stream: FoldedStream,
  kept: KeptState = NEWEST,
  recent: RecentStates = new Map(),
): (core: Core) => States {
  const known = new Map<string, States>();
  return (core) => {
    const version = core.CORE_VERSION;
    const newest = recent.get(version) ?? new Map<string, JobState>();
    recent.set(version, newest);
    const states = known.get(version) ?? statesOf(core, stream, kept, newest);
    known.set(version, states);
    return states;
  };
}

function statesOf(
  core: Core,
  { decisions, refold }: FoldedStream,
  kept: KeptState,
  recent: Map<string, JobState>,
): States {
  const milestones = new Map<string, JobState>();
  let count = 0;
  const known = (id: string): JobState | undefined => recent.get(id) ?? milestones.get(id);
  const keep = (id: string, state: JobState): void => {
    recent.set(id, state);
    count += 1;
    if (count % kept.each === 0) milestones.set(id, state);
    const [oldest] = recent.keys();
    if (recent.size > kept.recent && oldest !== undefined) recent.delete(oldest);
  };
  return {
    keep,
    has: (id) => known(id) !== undefined,
    after(id) {
      const chain: JobDecided[] = [];
      let at = id;
      while (at !== null && known(at) === undefined) {
        const decision: JobDecided | null = decisions.get(at) ?? null;
        if (decision !== null) chain.unshift(decision);
        at = decision?.data.predecessor ?? null;
      }
      const base = (at === null ? undefined : known(at)) ?? core.INITIAL_STATE;
      return chain.reduce((state, decision) => {
        const after = refold(core, decision, state);
        keep(decision.id, after);
        return after;
      }, base);
    },
  };
}
