import type { Core } from '../../cores/cores.ts';
import type { JobDecided } from '../../job/events.ts';
import type { JobState } from '../../job/state.ts';

/** The state after each decision, as one core folds the stream. */
export interface States {
  /** After a decision of the stream; before the first one with null. */
  after(decision: string | null): JobState;
  keep(decision: string, state: JobState): void;
}

/** What the states of one stream are made of: its intact decisions, and a step of the fold. */
export interface FoldedStream {
  decisions: ReadonlyMap<string, JobDecided | null>;
  refold: (core: Core, decision: JobDecided, before: JobState) => JobState;
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

/**
 * Each core folds the whole stream in its own way, also what another one decided: so its states never depend on what
 * another version made of the same facts.
 */
export function createStates(stream: FoldedStream, kept: Kept = NEWEST): (core: Core) => States {
  const known = new Map<string, States>();
  return (core) => {
    const states = known.get(core.CORE_VERSION) ?? statesOf(core, stream, kept);
    known.set(core.CORE_VERSION, states);
    return states;
  };
}

function statesOf(core: Core, { decisions, refold }: FoldedStream, kept: Kept): States {
  const recent = new Map<string, JobState>();
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
