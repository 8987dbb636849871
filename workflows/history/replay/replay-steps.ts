import { coreOfStream, type AnyCompacted, type AnyState } from '../../cores/any-core.ts';
import type { LedgerEvent } from '../../ledger-event.ts';
import { foldSteps, restOf } from '../../job/record/folding.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { TimelineLine } from '../timeline/line.ts';
import { createNarrator } from '../timeline/narrator.ts';
import { breakIn } from '../verify/break-in.ts';
import { upTo, type Point } from './point.ts';
import { jsonChanges, type JsonChange } from '../json-changes.ts';

/** An event in words, and the changes that folding it made to the state. Plain JSON. */
export interface ReplayStep extends TimelineLine {
  event: string;
  changes: readonly JsonChange[];
}

/** Fields that only prepare the next decision; a step shows them in another way. */
const BOOKKEEPING = new Set(['folded', 'last', 'pending', 'waiting']);

/**
 * The events up to the point in the order in which the decisions folded them, which may differ from the ledger's order;
 * then those not folded yet. Superseded decisions are left out.
 */
export function replaySteps(events: readonly LedgerEvent[], point: Point): ReplayStep[] | Refused {
  const prefix = upTo(events, point);
  if (isRefused(prefix)) return prefix;
  const broken = breakIn(prefix);
  if (broken !== null) return broken;
  const narrate = createNarrator(new Set());
  const steps: ReplayStep[] = [];
  const named = new Set<string>();
  const core = coreOfStream(prefix);
  let state = core.INITIAL_STATE;
  const take = (event: LedgerEvent): void => {
    const fact = core.compact(event);
    const after = fact === null ? state : core.fold(state, [fact]);
    const [line = { time: event.time, about: event.type, words: '' }] = narrate(event);
    steps.push({ event: event.id, ...line, changes: stateChanges(state, after) });
    named.add(event.id);
    state = after;
  };
  for (const { events: folded, decision } of foldSteps<LedgerEvent, AnyCompacted, AnyState>(prefix, core))
    for (const event of [...folded, decision]) take(event);
  for (const event of restOf(prefix, named, state.last?.id)) take(event);
  return steps;
}

/** The differences between two states. A list counts as one value. */
function stateChanges(before: AnyState, after: AnyState): JsonChange[] {
  const changes = [...jsonChanges(before, after, { listsAsOne: true })];
  return changes.filter(({ path: [field] }) => typeof field !== 'string' || !BOOKKEEPING.has(field));
}
