import type { ClusterGap, ClusterRestored } from '../../../workflows/ledger/cluster-events.ts';
import type { ClusterRow, GapRow } from '../../read-model/tables/clusters.ts';
import { toTimestamp } from './instants.ts';
import type { ClusterEvent } from './subjects.ts';

/** The row of a cluster after an event of the cluster. */
export function foldCluster(before: ClusterRow | undefined, event: ClusterEvent): ClusterRow {
  const row = before ?? newClusterRow(event.data.cluster);
  const time = toTimestamp(event.time);
  switch (event.type) {
    case 'cluster.connected':
      return {
        ...row,
        uid: event.data.uid,
        version: event.data.version,
        apis: event.data.apis ?? null,
        not_recorded: event.data.notRecorded ?? [],
        first_connected_at: row.first_connected_at ?? time,
        last_connected_at: time,
        detached_at: null,
      };
    case 'cluster.gap':
    case 'cluster.restored':
      return {
        ...row,
        gap_count: row.gap_count + 1,
        last_gap_since: toTimestamp(event.data.since),
        last_gap_until: toTimestamp(event.data.until),
      };
    case 'cluster.detached':
      return event.data.namespaces === undefined ? { ...row, detached_at: time } : row;
  }
}

/** The row of a gap in the observations of one resource or, after a restore, of all resources. */
export function toGapRow({ id, time, data }: ClusterGap | ClusterRestored): GapRow {
  const isRestored = 'epoch' in data;
  return {
    id,
    cluster: data.cluster,
    namespace: isRestored ? null : (data.namespace ?? null),
    resource: isRestored ? 'all' : data.resource,
    since: toTimestamp(data.since) ?? data.since,
    until: toTimestamp(data.until) ?? data.until,
    reason: isRestored
      ? `the API server was restored from an older copy: epoch ${data.epoch} begins at resourceVersion ${data.to}, after ${data.from}`
      : data.reason,
    recorded_at: toTimestamp(time) ?? time,
  };
}

function newClusterRow(name: string): ClusterRow {
  return {
    name,
    uid: null,
    version: null,
    apis: null,
    not_recorded: [],
    first_connected_at: null,
    last_connected_at: null,
    detached_at: null,
    gap_count: 0,
    last_gap_since: null,
    last_gap_until: null,
  };
}
