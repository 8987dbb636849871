import { awaitedFrom } from '../definitions/chain.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import type { Command } from '../commands.ts';
import type { AwaitedFacts } from '../facts.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { AwaitedState, ChainState } from '../state.ts';
import type { Draft } from './draft.ts';

/**
 * The chain after an observation of the Job: when the Job is resumed, the chain has ended, and a later suspension
 * begins no chain.
 */
export function chainAfterJob(chain: ChainState, before: JobFacts | null, job: JobFacts): ChainState {
  const isSuspended = job.spec.suspend === true;
  if (before === null && !isSuspended) return { ...chain, phase: 'none', awaited: {} };
  if (chain.phase !== 'open') return chain;
  return isSuspended ? prune(chain, job) : OVER;
}

const OVER: ChainState = { phase: 'over', awaited: {}, reported: [] };

/** Ends the chain, because the Job is deleted and will not be resumed. */
export function endChain(draft: Draft): void {
  if (draft.chain.phase === 'open') draft.chain = OVER;
}

/**
 * Folds a Job for which the Job of the stream waits. Returns false for a repeat, and when the Job no longer waits for
 * that Job.
 */
export function foldAwaited(draft: Draft, awaited: AwaitedFacts): boolean {
  const after = chainAfterAwaited(draft.chain, draft.job, awaited);
  if (after === null) return false;
  draft.chain = after;
  return true;
}

/** The chain after an observation of an awaited Job; null when the fact changes nothing. */
export function chainAfterAwaited(
  chain: ChainState,
  job: Pick<JobFacts, 'name' | 'annotations'> | null,
  { name, ...awaited }: AwaitedFacts,
): ChainState | null {
  const known = chain.awaited[name];
  if (job === null || chain.phase !== 'open' || !isNews(known, awaited)) return null;
  // The end of a Job stays known even if its deletion does not show the end.
  const end = awaited.gone === true ? (awaited.end ?? known?.end) : awaited.end;
  const now = { ...awaited, ...(end !== undefined && { end }) };
  const after = prune({ ...chain, awaited: { ...chain.awaited, [name]: now } }, job);
  return after.awaited[name] === undefined ? null : after;
}

/**
 * True when an observation of an awaited Job is newer than the known one. Of two Jobs with the same name, the Job
 * that was created last counts. The versions of all Jobs of a cluster have one order.
 */
function isNews(known: AwaitedState | undefined, next: AwaitedState): boolean {
  if (known === undefined) return true;
  if (next.gone === true) return next.uid === known.uid && known.gone !== true;
  const isNewer = compareVersions(next.resourceVersion, known.resourceVersion) > 0;
  return isNewer && !isSameJson({ ...next, resourceVersion: '' }, { ...known, resourceVersion: '' });
}

/** Forgets predecessors for which the Job no longer waits. */
function prune(chain: ChainState, { name, annotations }: Pick<JobFacts, 'name' | 'annotations'>): ChainState {
  const named = (annotations?.after ?? []).map(({ job }) => job);
  const { names } = awaitedFrom(name, named, (each) => chain.awaited[each]?.waitsFor);
  const kept = names.flatMap((each) => {
    const awaited = chain.awaited[each];
    return awaited === undefined ? [] : [[each, awaited] as const];
  });
  return { ...chain, awaited: Object.fromEntries(kept) };
}

/** Records the reports of Events about the chain. */
export function foldChainEvents(draft: Draft, commands: readonly Command[]): void {
  for (const command of commands)
    if (command.kind === 'EmitEvents' && command.chain !== undefined)
      draft.chain = { ...draft.chain, reported: command.chain };
}
