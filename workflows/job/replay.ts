import { compact, type Compacted } from './compact.ts';
import { foldedId } from './decision-id.ts';
import type { Folded, JobDecided, JobEvent } from './events.ts';
import { fold } from './evolve.ts';
import { INITIAL_STATE, type JobState } from './state.ts';

/**
 * The state of a Job from its stream alone, in ledger order: along the chain of decisions that stand (a superseded
 * one is named by none after it), each after what it had folded, then whatever came since.
 */
export function replay(stream: readonly JobEvent[]): JobState {
  const byId = new Map(stream.map((event) => [event.id, event]));
  const chain = standingDecisions(stream);
  const named = new Set<string>();
  let state = INITIAL_STATE;
  for (const decision of chain) {
    const ids = foldedBy(decision, stream).map(({ id }) => id);
    for (const id of ids) named.add(id);
    state = fold(state, [...ids.flatMap((id) => compacted(byId.get(id))), decision]);
  }
  return fold(state, restOf(stream, named, chain.at(-1)?.id));
}

/** Everything that a decision says it had folded, in order, with the records that hold the longer part. */
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
 * The decisions from the first to the last one that stands, which is the last of the highest number: it names its
 * predecessor, and so on back. A superseded one may have been appended late.
 */
export function standingDecisions(stream: readonly JobEvent[]): JobDecided[] {
  const decisions = new Map<string, JobDecided>();
  for (const event of stream) if (event.type === 'job.decided') decisions.set(event.id, event);
  const chain: JobDecided[] = [];
  let at: JobDecided | undefined;
  for (const decision of decisions.values())
    if (at === undefined || decision.data.number >= at.data.number) at = decision;
  while (at !== undefined) {
    chain.unshift(at);
    at = at.data.predecessor === null ? undefined : decisions.get(at.data.predecessor);
  }
  return chain;
}

/** Facts that no decision has named, and the outcomes of the last decision. */
function restOf(
  stream: readonly JobEvent[],
  named: ReadonlySet<string>,
  last: string | undefined,
): Compacted[] {
  const seen = new Set(named);
  return stream.flatMap((event) => {
    if (seen.has(event.id) || event.type === 'job.decided') return [];
    if (event.type === 'command.answered' && event.data.decision !== last) return [];
    seen.add(event.id);
    return compacted(event);
  });
}

function compacted(event: JobEvent | undefined): Compacted[] {
  const fact = event === undefined ? null : compact(event);
  return fact === null ? [] : [fact];
}
