import { compact } from '../../workflows/job/observe/compact.ts';
import { decide } from '../../workflows/job/decide/decide.ts';
import { canonicalJson } from '../../workflows/ledger/digest.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { fold } from '../../workflows/job/evolve/evolve.ts';
import { foldedBy } from '../../workflows/decision/folding.ts';
import type { ModelCluster } from './model-cluster.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';

/** Ids of decisions that were acted on but are not in the ledger. */
export function unrecordedDecisions({
  ledger,
  workflow,
}: Pick<ModelCluster, 'ledger' | 'workflow'>): string[] {
  const recorded = new Set(ledger.events.map(({ id }) => id));
  const acted = ledger.events.flatMap(({ type, data }) => (type === 'outcome.recorded' ? data.decision : []));
  const { last } = workflow.state;
  return [...acted, ...(last === null ? [] : [last.id])].filter((id) => !recorded.has(id));
}

/** Ids of decisions, superseded ones included, that do not follow from the ledger. */
export function unfoundedDecisions(stream: readonly JobEvent[]): string[] {
  const byId = new Map(stream.map((event) => [event.id, event]));
  const states = new Map<string | null, JobState>([[null, INITIAL_STATE]]);
  const decisions = [...byId.values()].filter((event) => event.type === 'job.decided');
  if (decisions.length === 0) throw new Error('the stream holds no decision');
  return decisions.filter((decision) => !isFounded(decision, stream, byId, states)).map(({ id }) => id);
}

function isFounded(
  decision: JobDecided,
  stream: readonly JobEvent[],
  byId: ReadonlyMap<string, JobEvent>,
  states: Map<string | null, JobState>,
): boolean {
  const before = states.get(decision.data.predecessor);
  if (before === undefined) return false;
  const facts = foldedBy(decision, stream).flatMap(({ id }) => {
    const event = byId.get(id);
    const fact = event === undefined ? null : compact(event);
    return fact === null ? [] : [fact];
  });
  const state = fold(before, facts);
  states.set(decision.id, fold(state, [decision]));
  const { now, settings, commands, nextDecisionAt, waiting } = decision.data;
  const { action: _notRecorded, ...verdict } = decide(state, now, settings);
  return canonicalJson(verdict) === canonicalJson({ commands, nextDecisionAt, waiting });
}
