import { foldedId } from './decision-id.ts';
import type { Folded } from './stream.ts';
import {
  isOutcome,
  isDecision,
  isFoldedPart,
  type Decision,
  type DecisionIn,
  type EventOfStream,
} from './stream.ts';

/**
 * A decision that is not superseded, with the states before and after it. A decision is superseded when it was
 * recorded and then made again after a crash.
 */
export interface StepOf<E, S> {
  decision: DecisionIn<E>;
  /** The state after the previous decision, or the initial state. */
  before: S;
  /** The events folded before the decision, in order: facts, and the outcomes of the previous decision. */
  events: E[];
  /** The state after these events and the decision were folded. */
  after: S;
}

/** The fields of a state that describe the last folded decision. */
interface FoldedState {
  last: { id: string } | null;
}

/** The part of a core version that folds events `E`, compacted to facts `F`, into a state `S`. */
export interface Folding<E, F, S> {
  INITIAL_STATE: S;
  compact: (event: E) => F | null;
  fold: (state: S, events: readonly F[]) => S;
}

/** A state of an object, and the events of its stream that are not folded into it, in ledger order. */
export interface FoldedSoFar<E, S> {
  state: S;
  /** The id of the decision up to which the state was folded; null for the beginning of the stream. */
  decision: string | null;
  rest: readonly E[];
}

type Made = Pick<Decision['data'], 'now' | 'number'>;

/** Folds a stream decision by decision, and leaves out the superseded decisions. */
export function foldSteps<E extends EventOfStream, F, S extends FoldedState>(
  stream: readonly E[],
  core: Folding<E, F, S>,
): Generator<StepOf<E, S>, void> {
  return foldStepsFrom({ state: core.INITIAL_STATE, decision: null, rest: stream }, core);
}

/** Works like `foldSteps`, but begins with a given state. */
export function* foldStepsFrom<E extends EventOfStream, F, S extends FoldedState>(
  { state, decision: start, rest }: FoldedSoFar<E, S>,
  core: Folding<E, F, S>,
): Generator<StepOf<E, S>, void> {
  const byId = new Map(rest.map((event) => [event.id, event]));
  const parts = rest.filter((event) => isFoldedPart(event));
  let before = state;
  for (const decision of effectiveDecisions(rest, start)) {
    const events = foldedBy(decision, parts).flatMap(({ id }) => byId.get(id) ?? []);
    const after = core.fold(before, compactedBy(core, [...events, decision]));
    yield { decision, before, events, after };
    before = after;
  }
}

/**
 * Computes the state of an object from its stream alone: the state after the last decision that is not superseded, and
 * the later events.
 */
export function foldStream<E extends EventOfStream, F, S extends FoldedState>(
  stream: readonly E[],
  core: Folding<E, F, S>,
): S {
  const folding = foldingStream({ state: core.INITIAL_STATE, decision: null, rest: stream }, core);
  for (;;) {
    const step = folding.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Works like `foldStream`, but begins with a given state and proceeds in steps, so that the caller may pause between
 * two decisions of a long stream.
 */
export function* foldingStream<E extends EventOfStream, F, S extends FoldedState>(
  start: FoldedSoFar<E, S>,
  core: Folding<E, F, S>,
): Generator<undefined, S> {
  const named = new Set<string>();
  let { state } = start;
  for (const { events, after } of foldStepsFrom(start, core)) {
    for (const { id } of events) named.add(id);
    state = after;
    yield;
  }
  return core.fold(state, compactedBy(core, unfoldedRest(start.rest, named, state.last?.id)));
}

/** Every event that was folded before a decision, in order, including the events in its `folded` records. */
export function foldedBy(decision: Decision, stream: readonly EventOfStream[]): Folded[] {
  const { foldedBefore, folded } = decision.data;
  if (foldedBefore.length === 0) return folded;
  const ids = foldedBefore.map((_digest, part) => foldedId(decision.id, part));
  const parts = new Map<string, Folded[]>();
  for (const event of stream) if (isFoldedPart(event)) parts.set(event.id, event.data.folded);
  return [...ids.flatMap((id) => parts.get(id) ?? []), ...folded];
}

/**
 * The effective decisions, which are not superseded, in order: the latest decision, its predecessor, and so on, up to
 * the decision after `start`. The latest decision is the decision of the latest instant: when Temporal runs steps again,
 * the repeated decisions are later, but there may be fewer of them, because more facts were known by then. A superseded
 * decision may be appended late.
 */
export function effectiveDecisions<E extends EventOfStream>(
  stream: readonly E[],
  start: string | null = null,
): DecisionIn<E>[] {
  const decisions = new Map<string, DecisionIn<E>>();
  for (const event of stream) if (isDecision(event)) decisions.set(event.id, event);
  const effective: DecisionIn<E>[] = [];
  let at: DecisionIn<E> | undefined;
  for (const decision of decisions.values())
    if (at === undefined || !isBefore(decision.data, at.data)) at = decision;
  while (at !== undefined) {
    effective.push(at);
    const { predecessor } = at.data;
    at = predecessor === null || predecessor === start ? undefined : decisions.get(predecessor);
  }
  return effective.toReversed();
}

/** True when one of two decisions of a stream was made before the other. Instants in milliseconds. */
export function isBefore(one: Made, other: Made): boolean {
  return one.now < other.now || (one.now === other.now && one.number < other.number);
}

/** Facts that no decision has folded, and the outcomes of the last decision. */
export function unfoldedRest<E extends EventOfStream>(
  stream: readonly E[],
  named: ReadonlySet<string>,
  last: string | undefined,
): E[] {
  const seen = new Set(named);
  return stream.filter((event) => {
    if (seen.has(event.id) || isDecision(event)) return false;
    if (isOutcome(event) && event.data.decision !== last) return false;
    seen.add(event.id);
    return true;
  });
}

/** The facts of events, compacted by a core. */
function compactedBy<E, F, S>(core: Folding<E, F, S>, events: readonly E[]): F[] {
  return events.flatMap((event) => core.compact(event) ?? []);
}
