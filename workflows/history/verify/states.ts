import type { Decision } from '../../decision/stream.ts';

/** The state after each decision of a stream, folded by one core. */
export interface States<S> {
  /** The state after this decision; null gives the initial state. */
  after(decision: string | null): S;
  /** True when the state after this decision is kept. */
  has(decision: string): boolean;
  keep(decision: string, state: S): void;
}

/** The inputs of the states: the intact decisions, and the fold of one decision. */
export interface FoldedStream<C, D, S> {
  decisions: ReadonlyMap<string, D | null>;
  refold: (core: C, decision: D, before: S) => S;
}

/** The states to keep. States of large Jobs are large, so the remaining states are folded again on demand. */
export interface KeptState {
  /** The newest ones. */
  recent: number;
  /** Every `each`-th state is also kept, so that a search for an earlier state folds few states again. */
  each: number;
}

/** The kept states by core version and, for each version, by decision. */
export type RecentStates<S> = Map<string, Map<string, S>>;

/** The part of a core that identifies its kept states. */
interface Versioned<S> {
  CORE_VERSION: string;
  INITIAL_STATE: S;
}

/** For walking forward. */
const NEWEST: KeptState = { recent: 8, each: Infinity };

/**
 * Creates the states after the decisions of a stream, for each core; each core folds the whole stream, including
 * decisions of other cores, so that its states do not depend on another version.
 */
export function createStates<C extends Versioned<S>, D extends Decision, S>(
  stream: FoldedStream<C, D, S>,
  kept: KeptState = NEWEST,
  recent: RecentStates<S> = new Map(),
): (core: C) => States<S> {
  const known = new Map<string, States<S>>();
  return (core) => {
    const version = core.CORE_VERSION;
    const newest = recent.get(version) ?? new Map<string, S>();
    recent.set(version, newest);
    const states = known.get(version) ?? decisionStates(core, stream, kept, newest);
    known.set(version, states);
    return states;
  };
}

/** The states after the decisions of a stream, folded by one core. */
function decisionStates<C extends Versioned<S>, D extends Decision, S>(
  core: C,
  { decisions, refold }: FoldedStream<C, D, S>,
  kept: KeptState,
  recent: Map<string, S>,
): States<S> {
  const milestones = new Map<string, S>();
  let count = 0;
  /** The kept state after a decision; undefined when it was dropped. */
  const keptState = (id: string): S | undefined => recent.get(id) ?? milestones.get(id);
  /** Keeps the state after a decision, and drops the oldest state that need not be kept. */
  const keepState = (id: string, state: S): void => {
    recent.set(id, state);
    count += 1;
    if (count % kept.each === 0) milestones.set(id, state);
    const [oldest] = recent.keys();
    if (recent.size > kept.recent && oldest !== undefined) recent.delete(oldest);
  };
  return {
    keep: keepState,
    has: (id) => keptState(id) !== undefined,
    after(id) {
      const chain: D[] = [];
      let at = id;
      while (at !== null && keptState(at) === undefined) {
        const decision: D | null = decisions.get(at) ?? null;
        if (decision !== null) chain.unshift(decision);
        at = decision?.data.predecessor ?? null;
      }
      const base = (at === null ? undefined : keptState(at)) ?? core.INITIAL_STATE;
      return chain.reduce((state, decision) => {
        const after = refold(core, decision, state);
        keepState(decision.id, after);
        return after;
      }, base);
    },
  };
}
