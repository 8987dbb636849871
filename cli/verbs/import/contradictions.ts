import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { Content } from './content.ts';

/** The uids of each known cluster, by name. */
export type Identities = Map<string, Set<string>>;

/** Records the uid of a connected cluster. */
export function clusterIdentity(identities: Identities, cluster: string, uid: string): void {
  identities.set(cluster, (identities.get(cluster) ?? new Set()).add(uid));
}

/** The reasons why the clusters of a file cannot be the clusters of this ledger; empty if they can. */
export function clusterContradictions(file: Content, here: Identities): string[] {
  return [...file.clusters()].flatMap(([cluster, { uids }]) => [
    ...otherUid(cluster, uids, here.get(cluster)),
    ...otherName(cluster, uids, here),
  ]);
}

/** Reports a name that belongs to another cluster in this ledger, because an import would mix the histories of two clusters. */
function otherUid(
  cluster: string,
  uids: ReadonlySet<string>,
  known: ReadonlySet<string> | undefined,
): string[] {
  if (known === undefined) return [];
  if (uids.size === 0)
    return [`the file has no cluster.connected event that identifies the cluster "${cluster}"`];
  const other = [...uids].find((uid) => !known.has(uid));
  if (other === undefined) return [];
  return [`"${cluster}" is the cluster ${[...known].join(', ')} in this ledger, but ${other} in the file`];
}

/** Reports a cluster that has another name in this ledger, because an import would split its history. */
function otherName(cluster: string, uids: ReadonlySet<string>, here: Identities): string[] {
  return [...here].flatMap(([name, known]) =>
    name !== cluster && [...uids].some((uid) => known.has(uid))
      ? [`the cluster "${cluster}" of the file has the name "${name}" in this ledger`]
      : [],
  );
}

/** Reports an event of this ledger that the file has with the same id but other content; null for any other event. */
export function contradiction(file: Content, { id, digest }: LedgerEvent): string | null {
  const digests = file.index.digests(id);
  if (digests.length === 0 || digests.includes(digest)) return null;
  return `${id} has the digest ${digest} in this ledger, but ${digests.join(', ')} in the file`;
}
