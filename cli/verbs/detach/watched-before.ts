import { namespaceIn } from '../../../services/shards/watch-names.ts';
import { isPosition } from '../../../services/live-topic/watches.ts';
import type { LiveRecord } from '../../../services/live-topic/live-topic.ts';
import { InputError } from '../../../services/adapters/errors.ts';

/**
 * Requires that this installation has watched the namespaces to detach, because another installation may control the other namespaces. @throws
 * InputError with the known clusters or namespaces.
 */
export function requireWatched(
  cluster: string,
  namespaces: readonly string[],
  records: readonly LiveRecord[],
): void {
  const ofCluster = records.filter((record) => record.cluster === cluster);
  if (!ofCluster.some(({ kind }) => kind === 'identity')) {
    const known = [...new Set(records.map((record) => record.cluster))].toSorted().join(', ');
    throw new InputError(
      `the ledger has no cluster "${cluster}"; it has ${known === '' ? 'none' : known}: give --kube-context or --cluster-name`,
    );
  }
  const watched = ofCluster.filter(isPosition).map(({ key }) => namespaceIn(key));
  if (watched.length === 0 || watched.includes(undefined)) return;
  const known = [...new Set(watched.map(String))].toSorted().join(',');
  const unknown = namespaces.filter((namespace) => !watched.includes(namespace));
  if (namespaces.length === 0)
    throw new InputError(
      `this installation has watched only the namespaces ${known} of the cluster "${cluster}": give --namespaces ${known}`,
    );
  if (unknown.length > 0)
    throw new InputError(
      `this installation has not watched ${unknown.join(', ')} of the cluster "${cluster}", only ${known}`,
    );
}
