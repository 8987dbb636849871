import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { parsePreferences } from '../../../workflows/placement/observe/preferences.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { ANY, isWithin } from '../../adapters/places.ts';
import type { Caller } from '../access/caller.ts';
import type { Manifest } from './manifest.ts';

/**
 * A placed Job runs with the rights of Jobledger in other clusters. @throws ProblemError when the Job could run in a
 * cluster where the caller has no rights in the namespace.
 */
export function requirePlacedWithin(
  { places }: Pick<Caller, 'places'>,
  namespace: string,
  { metadata, spec }: Pick<Manifest, 'metadata' | 'spec'>,
): void {
  if (spec.managedBy !== PLACEMENT_MANAGER || isWithin(places, ANY, namespace)) return;
  const { clusters } = parsePreferences(metadata.annotations);
  const names = clusters !== undefined && 'names' in clusters ? clusters.names : null;
  if (names?.every((cluster) => isWithin(places, cluster, namespace)) === true) return;
  throw new ProblemError(
    'forbidden',
    names === null
      ? 'this placed Job may run in any cluster, and you do not have rights in its namespace in all of them: in the annotation jobledger.dev/clusters, name only clusters where you do'
      : `you have no rights in the namespace "${namespace}" of ${names.filter((cluster) => !isWithin(places, cluster, namespace)).join(', ')}, which the annotation jobledger.dev/clusters names`,
  );
}
