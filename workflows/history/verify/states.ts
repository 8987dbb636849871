import type { JobDecided } from '../../job/events.ts';
import { INITIAL_STATE, type JobState } from '../../job/state.ts';

/** The state after each decision; null where it cannot be known, undefined where the decision is not. */
export interface States {
  has(decision: string): boolean;
  after(decision: string): JobState | null | undefined;
  put(decision: JobDecided, state: JobState | null): void;
}

/** States of big Jobs are big: only the newest are kept, an older one is folded again when a decision rests on it. */
const KEPT = 8;

export function createStates(refold: (decision: JobDecided, before: JobState) => JobState): States {
  const decisions = new Map<string, JobDecided | null>();
  const recent = new Map<string, JobState>();

  const recall = (id: string): JobState => {
    const chain: JobDecided[] = [];
    let at: string | null = id;
    while (at !== null && !recent.has(at)) {
      const decision: JobDecided | null = decisions.get(at) ?? null;
      if (decision !== null) chain.unshift(decision);
      at = decision?.data.predecessor ?? null;
    }
    const base = (at === null ? undefined : recent.get(at)) ?? INITIAL_STATE;
    return chain.reduce((state, decision) => refold(decision, state), base);
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
      recent.set(decision.id, state);
      const [oldest] = recent.keys();
      if (recent.size > KEPT && oldest !== undefined) recent.delete(oldest);
    },
  };
}
