import type { JobDecided } from '../../job/events.ts';
import { INITIAL_STATE, type JobState } from '../../job/state.ts';

/** The state after each decision; null where it cannot be known, undefined where the decision is not. */
export interface States {
  has(decision: string): boolean;
  after(decision: string): JobState | null | undefined;
  put(decision: JobDecided, state: JobState | null): void;
}

/** States of big Jobs are big: only some are kept, others are folded again when a decision rests on them. */
export interface Kept {
  /** So many of the newest. */
  recent: number;
  /** And each so many-th, for whoever walks back through all of them. */
  each: number;
}

/** For whoever goes forward. */
const NEWEST: Kept = { recent: 8, each: Infinity };

export function createStates(
  refold: (decision: JobDecided, before: JobState) => JobState,
  kept: Kept = NEWEST,
): States {
  const decisions = new Map<string, JobDecided | null>();
  const recent = new Map<string, JobState>();
  const milestones = new Map<string, JobState>();

  const known = (id: string): JobState | undefined => recent.get(id) ?? milestones.get(id);
  const keep = (id: string, state: JobState): void => {
    recent.set(id, state);
    const [oldest] = recent.keys();
    if (recent.size > kept.recent && oldest !== undefined) recent.delete(oldest);
  };
  const recall = (id: string): JobState => {
    const chain: JobDecided[] = [];
    let at: string | null = id;
    while (at !== null && known(at) === undefined) {
      const decision: JobDecided | null = decisions.get(at) ?? null;
      if (decision !== null) chain.unshift(decision);
      at = decision?.data.predecessor ?? null;
    }
    const base = (at === null ? undefined : known(at)) ?? INITIAL_STATE;
    return chain.reduce((state, decision) => {
      const after = refold(decision, state);
      keep(decision.id, after);
      return after;
    }, base);
  };

  return {
    has: (id) => decisions.has(id),
    after: (id) => {
      const decision = decisions.get(id);
      return decision === undefined || decision === null ? decision : recall(id);
    },
    put(decision, state) {
      decisions.set(decision.id, state === null ? null : decision);
      if (state === null) return;
      keep(decision.id, state);
      if (decisions.size % kept.each === 0) milestones.set(decision.id, state);
    },
  };
}
