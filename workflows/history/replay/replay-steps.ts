import { coreOfStream } from '../../cores/cores-of-kind.ts';
import type { AnyCompacted, AnyState } from '../../kind.ts';
import type { LedgerEvent } from '../../ledger-event.ts';
import { foldSteps, unfoldedRest } from '../../decision/folding.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { TimelineLine } from '../timeline/line.ts';
import { createNarrator } from '../timeline/narrator.ts';
import { findBreak } from '../verify/break-in.ts';
import { eventsUpTo, type Point } from './point.ts';
import { jsonChanges, type JsonChange } from '../json-changes.ts';

/** An event as text, and the changes of the state when the event was folded. Plain JSON. */
export interface ReplayStep extends TimelineLine {
  event: string;
  changes: readonly JsonChange[];
}

/** Fields that only prepare the next decision; a step shows their content in another way. */
const BOOKKEEPING = new Set(['folded', 'last', 'pending', 'waiting']);

/** A range of the steps: at most `limit` steps after the first `skip` steps. */
export interface StepRange {
  skip: number;
  limit: number;
}

const EVERY_STEP: StepRange = { skip: 0, limit: Number.POSITIVE_INFINITY };

/**
 * The events up to the point in the order in which the decisions folded them, which may differ from the order of the
 * ledger; the events that are not folded yet follow. Superseded decisions are left out. Only events in the range are
 * folded one by one, because a step of a large state takes long.
 */
export function replaySteps(
  events: readonly LedgerEvent[],
  point: Point,
  { skip, limit }: StepRange = EVERY_STEP,
): ReplayStep[] | Refused {
  const prefix = eventsUpTo(events, point);
  if (isRefused(prefix)) return prefix;
  const broken = findBreak(prefix);
  if (broken !== null) return broken;
  const narrate = createNarrator(new Set());
  const steps: ReplayStep[] = [];
  const named = new Set<string>();
  const core = coreOfStream(prefix, events);
  let state = core.INITIAL_STATE;
  let place = 0;
  /** The timeline line of an event; each described event gets the next place. */
  const nextLine = (event: LedgerEvent): TimelineLine => {
    named.add(event.id);
    place += 1;
    const [line = { time: event.time, about: event.type, message: '' }] = narrate(event);
    return line;
  };
  /** Folds an event, and adds its step with the changes of the state. */
  const addStep = (event: LedgerEvent): void => {
    // The core folds no fact for the events that belong to every Job, such as its submission.
    const fact = core.compact(event) ?? null;
    const after = fact === null ? state : core.fold(state, [fact]);
    steps.push({ event: event.id, ...nextLine(event), changes: stateChanges(state, after) });
    state = after;
  };
  /** Folds some events; returns false when the range of steps has ended. */
  const addSteps = (part: readonly LedgerEvent[]): boolean => {
    const skipped = part.slice(0, Math.max(0, skip - place));
    for (const event of skipped) nextLine(event);
    const facts = skipped.flatMap((event) => core.compact(event) ?? []);
    if (facts.length > 0) state = core.fold(state, facts);
    for (const event of part.slice(skipped.length)) {
      if (steps.length >= limit) return false;
      addStep(event);
    }
    return true;
  };
  for (const step of foldSteps<LedgerEvent, AnyCompacted, AnyState>(prefix, core))
    if (!addSteps([...step.events, step.decision])) return steps;
  addSteps(unfoldedRest(prefix, named, state.last?.id));
  return steps;
}

/** The differences between two states. A list counts as one value. */
function stateChanges(before: AnyState, after: AnyState): JsonChange[] {
  const changes = [...jsonChanges(before, after, { listsAsOne: true })];
  return changes.filter(({ path: [field] }) => typeof field !== 'string' || !BOOKKEEPING.has(field));
}
