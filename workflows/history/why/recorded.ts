import { compact, type Compacted } from '../../job/compact.ts';
import type { JobDecided, JobEvent, JobFolded } from '../../job/events.ts';
import { fold } from '../../job/evolve.ts';
import { foldedBy, standingDecisions } from '../../job/replay.ts';
import { INITIAL_STATE, type JobState } from '../../job/state.ts';
import type { Line } from '../timeline/line.ts';
import { createNarrator } from '../timeline/narrator.ts';
import { createStates } from '../verify/states.ts';

/** The moment of a decision: the state after its predecessor, and what it had folded since. */
export interface Moment {
  decision: JobDecided;
  before: JobState;
  facts: readonly Compacted[];
}

/** The stream of one Job, to be asked about any of its events and decisions. */
export interface Recorded {
  /** Those of the Job, each once, in ledger order. */
  events: readonly JobEvent[];
  event(id: string): JobEvent | undefined;
  /** What is new in an event, in words. */
  line(event: JobEvent): Line;
  /** Decisions that stand, in order. */
  standing: readonly JobDecided[];
  /** Of any decision, superseded ones too. */
  momentOf(decision: string): Moment | null;
}

/** How many of the latest states are kept, and that each so many-th is: whoever walks back folds few of them anew. */
const KEPT = { recent: 64, each: 64 };

export function recordedOf(stream: readonly JobEvent[]): Recorded {
  const byId = new Map<string, JobEvent>();
  for (const event of stream) if (!byId.has(event.id)) byId.set(event.id, event);
  const events = [...byId.values()].filter((event) => 'jobUid' in event.data);
  const decisions = events.filter((event) => event.type === 'job.decided');
  const standing = standingDecisions(events);
  const parts = events.filter((event) => event.type === 'job.folded');
  const factsOf = (decision: JobDecided): Compacted[] => compactedBy(decision, parts, byId);
  const states = createStates((decision, before) => fold(before, [...factsOf(decision), decision]), KEPT);
  const beforeOf = ({ data }: JobDecided): JobState | null =>
    data.predecessor === null ? INITIAL_STATE : (states.after(data.predecessor) ?? null);
  for (const decision of decisions) {
    const before = beforeOf(decision);
    states.put(decision, before === null ? null : fold(before, [...factsOf(decision), decision]));
  }
  const lines = linesOf(events, new Set(standing.map(({ id }) => id)));
  return {
    events,
    event: (id) => byId.get(id),
    line: (event) => lines.get(event.id) ?? { time: event.time, about: event.type, words: '' },
    standing,
    momentOf(id) {
      const decision = byId.get(id);
      if (decision?.type !== 'job.decided') return null;
      const before = beforeOf(decision);
      return before === null ? null : { decision, before, facts: factsOf(decision) };
    },
  };
}

function compactedBy(
  decision: JobDecided,
  parts: readonly JobFolded[],
  byId: ReadonlyMap<string, JobEvent>,
): Compacted[] {
  return foldedBy(decision, parts).flatMap(({ id }) => {
    const event = byId.get(id);
    return (event === undefined ? null : compact(event)) ?? [];
  });
}

function linesOf(events: readonly JobEvent[], standing: ReadonlySet<string>): ReadonlyMap<string, Line> {
  const superseded = events.filter(({ type, id }) => type === 'job.decided' && !standing.has(id));
  const narrate = createNarrator(new Set(superseded.map(({ id }) => id)));
  return new Map(events.flatMap((event) => narrate(event).map((line) => [event.id, line] as const)));
}
