import { foldingStream, foldStepsFrom } from '../decision/folding.ts';
import type { FoldedSoFar, Folding, StepOf } from '../decision/folding.ts';
import { isOutcome, isDecision, isFoldedPart, type EventOfStream } from '../decision/stream.ts';
import type { AnyCompacted, AnyState, Kind, StreamEvent } from '../kind.ts';

/**
 * The parts of an event that a recall keeps: only the folded part of a fact, because the objects of the pods of a
 * large Job would fill the memory.
 */
export type Recalled = RecalledFact | WholeEvent;

/** `fact` is null for an event that does not change the state. */
interface RecalledFact extends EventOfStream {
  type: Exclude<StreamEvent['type'], WholeEvent['type']>;
  data: { fact: AnyCompacted | null };
}

/** Decisions and their records; a recall reads the content of these events. */
type WholeEvent = Extract<
  StreamEvent,
  { type: `${string}.decided` | `${string}.folded` | `${string}.snapshotted` | 'outcome.recorded' }
>;

/** A state, and the events not folded into it. */
export type FoldStart = FoldedSoFar<Recalled, AnyState>;

/** The short form of an event, from which a state can be folded. */
export function recalledForm({ core }: Kind, event: StreamEvent): Recalled {
  return isKeptWhole(event) ? event : { ...event, data: { fact: core.compact(event) } };
}

/** True for an event that a recall keeps as a whole. */
function isKeptWhole(event: StreamEvent): event is WholeEvent {
  return isDecision(event) || isFoldedPart(event) || isOutcome(event) || isSnapshot(event);
}

/** True for a snapshot of a state. */
export function isSnapshot<E extends EventOfStream>(
  event: E,
): event is Extract<E, { type: `${string}.snapshotted` }> {
  return event.type.endsWith('.snapshotted');
}

/** The result of `compact` for the recalled event. */
export function compactRecalled({ core }: Kind, event: Recalled): AnyCompacted | null {
  return 'fact' in event.data ? event.data.fact : core.compact(event as StreamEvent);
}

/** Computes the state of an object from its stream, in steps. */
export function replayInSteps(kind: Kind, start: FoldStart): Generator<undefined, AnyState> {
  return foldingStream(start, recalledFolding(kind));
}

/** The steps of the fold of a stream from its start. */
export function stepsFrom(kind: Kind, start: FoldStart): Generator<StepOf<Recalled, AnyState>, void> {
  return foldStepsFrom(start, recalledFolding(kind));
}

/** The core of a kind in the form that folds recalled events. */
function recalledFolding(kind: Kind): Folding<Recalled, AnyCompacted, AnyState> {
  const { core } = kind;
  return {
    INITIAL_STATE: core.INITIAL_STATE,
    compact: (event) => compactRecalled(kind, event),
    fold: (state, facts) => core.fold(state, facts),
  };
}
