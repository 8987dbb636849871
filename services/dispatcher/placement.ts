import type { ObjectRef } from '../../workflows/activities.ts';
import type { AnySettings, Kind, KindName } from '../../workflows/kind.ts';
import { KINDS } from '../../workflows/kinds.ts';
import { PLACEMENT_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { ClusterAvailability } from '../../workflows/placement/settings.ts';

// What is special about placed Jobs in the dispatcher. A placed Job is also a Job, and its run follows the availability
// of the clusters.

/** The kinds of the objects that the live topic records; it records placed Jobs together with the other Jobs. */
export function kindsInLiveTopic(kinds: readonly KindName[]): KindName[] {
  return kinds.filter((name) => name !== 'PlacedJob');
}

/** The kind of an object in the live topic, by the controller of the object. */
export function kindInLiveTopic(kind: Kind, managedBy: string | undefined, kinds: readonly KindName[]): Kind {
  const isPlaced = kind.name === 'Job' && managedBy === PLACEMENT_MANAGER;
  return isPlaced && kinds.includes('PlacedJob') ? KINDS.PlacedJob : kind;
}

/** The kinds that a deleted object may have had. The record of a deletion does not say whether the Job was placed. */
export function kindsOfDeleted(kind: Kind): Kind[] {
  return kind.name === 'Job' ? [KINDS.Job, KINDS.PlacedJob] : [kind];
}

/** True when the run of the object follows the availability of the clusters. */
export function followsClusters({ kind }: Pick<ObjectRef, 'kind'>): boolean {
  return kind === 'PlacedJob';
}

/** The settings of a run, with the availability of the clusters if the run follows them. */
export function settingsWithClusters(
  job: Pick<ObjectRef, 'kind'>,
  settings: AnySettings,
  readAvailability: () => Record<string, ClusterAvailability>,
): AnySettings {
  if (!followsClusters(job)) return settings;
  const clusters = readAvailability();
  return Object.keys(clusters).length === 0 ? settings : { ...settings, clusters };
}
