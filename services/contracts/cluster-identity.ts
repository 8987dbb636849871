import type { LiveRecord } from './live-topic.ts';

/** The uid that identifies a cluster, and its namespace; absent: kube-system. */
export interface ClusterUid {
  uid: string;
  namespace?: string | undefined;
}

/**
 * The records of a cluster's identity in the order in which they are written: the uid last, because without the record
 * of its namespace it would pass for the uid of kube-system.
 */
export function identityRecords(cluster: string, { uid, namespace }: ClusterUid): LiveRecord[] {
  return [
    ...(namespace === undefined
      ? []
      : [{ cluster, kind: 'identity-namespace' as const, key: uid, value: namespace }]),
    { cluster, kind: 'identity', key: 'uid', value: uid },
  ];
}
