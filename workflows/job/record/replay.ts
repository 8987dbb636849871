import { compact, type Compacted } from '../observe/compact.ts';
import { foldedId } from './decision-id.ts';
import type { JobDecided, JobEvent } from '../events.ts';
import type { Folded } from '../state.ts';
import { fold } from '../evolve/evolve.ts';
import { INITIAL_STATE, type JobState } from '../state.ts';

/** A decision that stands (is not superseded), with the states before and after it. */
export interface DecisionStep {
  decision: JobDecided;
  /** After the previous decision, or the initial state. */
  before: JobState;
  /** What was folded before it, in order: facts, and the outcomes of the previous decision. */
  events: JobEvent[];
  /** With these events and the decision folded. */
  after: JobState;
}

/** The part of a core version that folds. */
export interface Folding {
  INITIAL_STATE: JobState;
  compact: typeof compact;
  fold: typeof fold;
}

const PRESENT: Folding = { INITIAL_STATE, compact, fold };

/** A state of a Job, and the events of its stream that are not folded into it, in ledger order. */
export interface FoldStart {
  state: JobState;
  /** Id of the decision that the state was folded up to; null for the beginning of the stream. */
  decision: string | null;
  rest: readonly JobEvent[];
}

/** Folds a stream decision by decision, along the chain of decisions that stand. */
export function stepsOf(stream: readonly JobEvent[], core: Folding = PRESENT): Generator<DecisionStep, void> {
  return stepsFrom({ state: core.INITIAL_STATE, decision: null, rest: stream }, core);
}

/** As `stepsOf`, from a state on. */
export function* stepsFrom(
  { state, decision: start, rest }: FoldStart,
  core: Folding = PRESENT,
): Generator<DecisionStep, void> {
  const byId = new Map(rest.map((event) => [event.id, event]));
  const parts = rest.filter(({ type }) => type === 'job.folded');
  let before = state;
  for (const decision of standingDecisions(rest, start)) {
    const events = foldedBy(decision, parts).flatMap(({ id }) => byId.get(id) ?? []);
    const after = core.fold(before, [...compactedBy(core, events), decision]);
    yield { decision, before, events, after };
    before = after;
  }
}

/**
 * The state of a Job from its stream alone: after the last decision that stands, with everything that came since.
 */
export function replay(stream: readonly JobEvent[], core: Folding = PRESENT): JobState {
  const folding = replaying({ state: core.INITIAL_STATE, decision: null, rest: stream }, core);
  for (;;) {
    const step = folding.next();
    if (step.done === true) return step.value;
  }
}

/** `replay` from a state on and in steps, so that the caller may pause between two decisions of a long stream. */
export function* replaying(start: FoldStart, core: Folding = PRESENT): Generator<undefined, JobState> {
  const named = new Set<string>();
  let { state } = start;
  for (const { events, after } of stepsFrom(start, core)) {
    for (const { id } of events) named.add(id);
    state = after;
    yield;
  }
  return core.fold(state, compactedBy(core, restOf(start.rest, named, state.last?.id)));
}

/** Everything that was folded before a decision, in order, including what its `job.folded` records hold. */
export function foldedBy(
  decision: JobDecided,
  stream: readonly JobEvent[],
): { id: string; digest: string }[] {
  const { foldedBefore, folded } = decision.data;
  if (foldedBefore.length === 0) return folded;
  const ids = foldedBefore.map((_digest, part) => foldedId(decision.id, part));
  const parts = new Map<string, Folded[]>();
  for (const event of stream) if (event.type === 'job.folded') parts.set(event.id, event.data.folded);
  return [...ids.flatMap((id) => parts.get(id) ?? []), ...folded];
}

/**
 * The decisions that stand, in order: the last one of the highest number, its predecessor, and so on, up to the one after
 * `start`. A superseded decision may have been appended late.
 */
export function standingDecisions(stream: readonly JobEvent[], start: string | null = null): JobDecided[] {
  const decisions = new Map<string, JobDecided>();
  for (const event of stream) if (event.type === 'job.decided') decisions.set(event.id, event);
  const chain: JobDecided[] = [];
  let at: JobDecided | undefined;
  for (const decision of decisions.values())
    if (at === undefined || decision.data.number >= at.data.number) at = decision;
  while (at !== undefined) {
    chain.push(at);
    const { predecessor } = at.data;
    at = predecessor === null || predecessor === start ? undefined : decisions.get(predecessor);
  }
  return chain.toReversed();
}

/** Facts that no decision has folded, and the outcomes of the last decision. */
export function restOf(
  stream: readonly JobEvent[],
  named: ReadonlySet<string>,
  last: string | undefined,
): JobEvent[] {
  const seen = new Set(named);
  return stream.filter((event) => {
    if (seen.has(event.id) || event.type === 'job.decided') return false;
    if (event.type === 'command.answered' && event.data.decision !== last) return false;
    seen.add(event.id);
    return true;
  });
}

function compactedBy(core: Folding, events: readonly JobEvent[]): Compacted[] {
  return events.flatMap((event) => core.compact(event) ?? []);
}
