import type { LiveRecord } from '../../live-topic/live-topic.ts';
import { hasNamespace } from '../../shards/shards.ts';
import { isInPart, shardIn, watchName, type Part } from '../../shards/watch-names.ts';
import { applyChange, emptyLiveSet, RESOURCES, type LiveChange, type LiveSet } from '../live-set/live-set.ts';
import { countInitialLiveSet } from '../metrics/changes.ts';
import { readEarlierTerms, type Watched } from '../terms/earlier-terms.ts';
import type { Reached, Term } from '../terms/open-term.ts';

/** The state of earlier terms, from which the watches continue. */
export interface Recovered {
  live: LiveSet;
  /** The watched parts of the cluster, with their earlier records. */
  watched: readonly Watched[];
}

/**
 * Recovers the state of earlier terms from the records of the live topic: the live set, and the positions at which the
 * watches continue. The objects that the live topic lacks are recovered from the ledger when a watch must list
 * (recover-from-ledger.ts).
 */
export function recover({ scope, records, parts, readable, count, reached }: Term): Recovered {
  const live = restoreLiveSet(scope.cluster, records, parts);
  const watched = parts.map((part) => {
    const optional = readable.get(part) ?? [];
    return { part, optional, before: readEarlierTerms(scope, records, part, optional) };
  });
  for (const each of watched) continueLiveSet(live, each);
  countInitialLiveSet(count, live);
  resetReached(reached, live, watched, scope.epoch);
  return { live, watched };
}

/**
 * The objects of the watched parts in the live topic. Objects of other namespaces wait in the live set until they are
 * watched again.
 */
function restoreLiveSet(cluster: string, records: readonly LiveRecord[], parts: readonly Part[]): LiveSet {
  const live = emptyLiveSet();
  const shards = parts.flatMap((part) => shardIn(part) ?? []);
  const isWatched = (namespace: string): boolean =>
    parts.includes(namespace) || shards.some((shard) => hasNamespace(shard, namespace));
  for (const { cluster: of, kind, key: uid, value } of records) {
    if (of !== cluster || (kind !== 'jobs' && kind !== 'pods' && kind !== 'cronjobs')) continue;
    // The ingester wrote the topic, so the values have the shapes of the live set.
    const change = { resource: kind, uid, entry: value } as Exclude<LiveChange, { resource: 'position' }>;
    if (isWatched(change.entry?.namespace ?? '')) applyChange(live, change);
  }
  return live;
}

/** Sets the positions of the watches, and resets the versions of the objects that a list must record again. */
function continueLiveSet(live: LiveSet, { part, before }: Watched): void {
  for (const resource of RESOURCES) {
    const position = before.positions[resource];
    if (position !== undefined) live.positions[watchName(resource, part)] = position;
  }
  if (before.hasEarlierEpochs('jobs')) forgetVersions(live.jobs, part);
  if (before.hasEarlierEpochs('pods')) forgetVersions(live.pods, part);
  if (before.hasEarlierEpochs('cronjobs')) forgetVersions(live.cronjobs, part);
  // After a change of the claim, other pods are relevant: orphans that match, and pods with a finalizer that Jobledger
  // must remove.
  if (before.isOtherClaim) forgetVersions(live.pods, part);
  if (before.news.length > 0) forgetVersions(live.jobs, part);
}

/** Resets the versions of the entries in a part, so that a list records all objects again. */
function forgetVersions<E extends { namespace: string; resourceVersion: string }>(
  entries: Map<string, E>,
  part: Part,
): void {
  for (const [uid, entry] of entries)
    if (isInPart(part, entry.namespace)) entries.set(uid, { ...entry, resourceVersion: '0' });
}

/**
 * Sets the reached versions to the positions of this term's watches in this epoch, without the positions of other
 * parts.
 */
function resetReached(reached: Reached, live: LiveSet, watched: readonly Watched[], epoch = 0): void {
  reached.epoch = epoch;
  reached.versions.clear();
  for (const { part } of watched)
    for (const resource of RESOURCES) {
      const name = watchName(resource, part);
      const position = live.positions[name];
      if (position !== undefined && (position.epoch ?? 0) === epoch)
        reached.versions.set(name, position.resourceVersion);
    }
}
