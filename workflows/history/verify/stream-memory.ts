import type { AnyDecided, AnyState } from '../../kind.ts';
import { foldedId } from '../../decision/decision-id.ts';
import { foldedBy } from '../../decision/folding.ts';
import type { FoldedPart } from '../../decision/stream.ts';
import type { Facts, KnownFacts } from './facts.ts';
import type { Finding } from './finding.ts';
import { noRuns, type Runs } from './runs.ts';
import type { RecentStates } from './states.ts';

/** The memory of the verification of a stream: plain values, which can be stored and read again. */
export interface StreamMemory {
  facts: KnownFacts;
  parts: FoldedPart[];
  /** The decisions by id; null for a decision that is changed or depends on a changed record. */
  known: Map<string, AnyDecided | null>;
  states: RecentStates<AnyState>;
  decisions: number;
  unchecked: number;
  findings: Finding[];
  runs: Runs;
  /** Decisions up to this number were dropped, with the facts that they folded; 0 when no decision was dropped. */
  dropped: number;
  /** True when a record refers to a dropped record. */
  isIncomplete: boolean;
}

/**
 * The number of decisions to keep for a stream whose history may be dropped. A superseded decision usually follows
 * directly after the effective decision.
 */
const KEPT = 4;

/** The memory of a verification before the first event. */
export function emptyMemory(): StreamMemory {
  return {
    facts: new Map(),
    parts: [],
    known: new Map(),
    states: new Map(),
    decisions: 0,
    unchecked: 0,
    findings: [],
    runs: noRuns(),
    dropped: 0,
    isIncomplete: false,
  };
}

/**
 * Keeps only what the next decision, or a late repetition of the last decision, needs: the last two decisions with
 * the states after them, the facts of the last decision, and unfolded facts.
 */
export function forgetOldRecords(memory: StreamMemory, facts: Facts): void {
  const whole = [...memory.known.values()].filter((decision) => decision !== null);
  const last = Math.max(0, ...whole.map(({ data }) => data.number));
  /** True for a decision with the number of the last decision. */
  const isKept = ({ data }: AnyDecided): boolean => data.number === last;
  dropDecisions(memory, facts, {
    kept: whole.filter(isKept),
    old: whole.filter((each) => !isKept(each)),
    isKnown: ({ data }) => data.number >= last - 1,
  });
  for (const states of memory.states.values())
    for (const id of states.keys()) if (!memory.known.has(id)) states.delete(id);
}

/** Drops all decisions except the latest, and the facts that only dropped decisions had folded. */
export function dropHistory(memory: StreamMemory, facts: Facts): void {
  const whole = [...memory.known.values()].filter((decision) => decision !== null);
  dropDecisions(memory, facts, {
    kept: whole.slice(-KEPT),
    old: whole.slice(0, -KEPT),
    isKnown: () => false,
  });
}

/**
 * Drops old decisions and the facts that only they had folded; `isKnown` is true for an old decision that stays known
 * as a predecessor, although its facts are dropped.
 */
function dropDecisions(
  memory: StreamMemory,
  facts: Facts,
  {
    kept,
    old,
    isKnown,
  }: { kept: AnyDecided[]; old: AnyDecided[]; isKnown: (decision: AnyDecided) => boolean },
): void {
  if (old.length === 0) return;
  const named = new Set(kept.flatMap((each) => foldedBy(each, memory.parts).map(({ id }) => id)));
  for (const decision of old) {
    facts.forget(foldedBy(decision, memory.parts).filter(({ id }) => !named.has(id)));
    memory.dropped = Math.max(memory.dropped, decision.data.number);
    if (!isKnown(decision)) memory.known.delete(decision.id);
  }
  const parts = new Set(
    old.flatMap(({ id, data }) => data.foldedBefore.map((_digest, part) => foldedId(id, part))),
  );
  if (parts.size > 0) memory.parts = memory.parts.filter(({ id }) => !parts.has(id));
}
