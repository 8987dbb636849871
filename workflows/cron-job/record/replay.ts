import { fold } from '../evolve/evolve.ts';
import type { CronJobDecided, CronJobEvent } from '../events.ts';
import { compact } from '../observe/compact.ts';
import { INITIAL_STATE, type CronJobState } from '../state.ts';

/** The state of a CronJob from its stream alone: after the last decision that stands, with everything that came since. */
export function replay(stream: readonly CronJobEvent[]): CronJobState {
  const byId = new Map(stream.map((event) => [event.id, event]));
  const named = new Set<string>();
  let state = INITIAL_STATE;
  for (const decision of standing(stream)) {
    const events = foldedBy(decision, byId).flatMap((id) => byId.get(id) ?? []);
    for (const { id } of events) named.add(id);
    state = fold(
      state,
      [...events, decision].flatMap((event) => compact(event) ?? []),
    );
  }
  return fold(
    state,
    restOf(stream, named, state.last?.id).flatMap((event) => compact(event) ?? []),
  );
}

/** The decisions that stand, in order: the last one of the highest number, its predecessor, and so on. */
function standing(stream: readonly CronJobEvent[]): CronJobDecided[] {
  const decisions = new Map<string, CronJobDecided>();
  for (const event of stream) if (event.type === 'cronjob.decided') decisions.set(event.id, event);
  let last: CronJobDecided | undefined;
  for (const each of decisions.values()) if (each.data.number >= (last?.data.number ?? 0)) last = each;
  const chain: CronJobDecided[] = [];
  for (let at = last; at !== undefined; at = decisions.get(at.data.predecessor ?? '')) chain.push(at);
  return chain.toReversed();
}

/** The ids of what a decision has folded, also those in `cronjob.folded` records. */
function foldedBy({ id, data }: CronJobDecided, byId: ReadonlyMap<string, CronJobEvent>): string[] {
  const before = data.foldedBefore.flatMap((_digest, part) => {
    const record = byId.get(`${id}/folded/${part}`);
    return record?.type === 'cronjob.folded' ? record.data.folded : [];
  });
  return [...before, ...data.folded].map((each) => each.id);
}

/** Facts that no decision has folded, and the outcomes of the last decision; each once. */
function restOf(
  stream: readonly CronJobEvent[],
  named: ReadonlySet<string>,
  last: string | undefined,
): CronJobEvent[] {
  const seen = new Set(named);
  return stream.filter((event) => {
    if (seen.has(event.id) || event.type === 'cronjob.decided') return false;
    if (event.type === 'command.answered' && event.data.decision !== last) return false;
    seen.add(event.id);
    return true;
  });
}
