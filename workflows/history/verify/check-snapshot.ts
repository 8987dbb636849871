import type { AnyCore, AnySnapshotted, AnyState } from '../../kind.ts';
import { coresOfKind } from '../../cores/cores-of-kind.ts';
import { kindOfEvent } from '../../kinds.ts';
import { jsonChanges } from '../json-changes.ts';
import type { Finding } from './finding.ts';
import type { States } from './states.ts';
import type { StreamMemory } from './stream-memory.ts';

/** The decisions of a stream so far, and the states after them. */
interface Folded {
  memory: Pick<StreamMemory, 'known' | 'dropped'>;
  getStates: (core: AnyCore) => States<AnyState>;
}

/**
 * Compares a snapshot with the fold of the stream by the snapshot's core. A snapshot is not checked when this version
 * lacks the core of the snapshot, or when the snapshot follows a changed decision. Returns null when the necessary
 * states were dropped.
 */
export function checkSnapshot({ memory, getStates }: Folded, snapshot: AnySnapshotted): Finding[] | null {
  const { id, data } = snapshot;
  const kind = kindOfEvent(snapshot);
  const core = coresOfKind(snapshot).all.find((each) => kind?.stateFormatBy(each) === data.stateFormat);
  if (core === undefined) return [];
  const states = getStates(core);
  // Some states of intact decisions are kept longer than the decisions themselves.
  if (!states.has(data.decision)) {
    if (memory.dropped > 0) return null;
    const decision = memory.known.get(data.decision);
    if (decision === null) return [];
    if (decision === undefined) return [missingDecisionFinding(id, data.decision)];
  }
  const [difference] = jsonChanges(data.state, states.after(data.decision), { listsAsOne: true });
  if (difference === undefined) return [];
  return [
    {
      type: 'different',
      event: id,
      message: `the snapshot after decision ${data.number} differs from the fold at ${difference.path.join('.')}`,
      context: [`snapshot: ${JSON.stringify(difference.from)}`, `fold:     ${JSON.stringify(difference.to)}`],
    },
  ];
}

/** The finding for a snapshot whose decision is missing. */
function missingDecisionFinding(snapshot: string, decision: string): Finding {
  const message = `missing: the snapshot ${snapshot} names it as its decision`;
  return { type: 'broken', event: decision, message, context: [] };
}
