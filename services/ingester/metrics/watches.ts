import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { Metrics } from '../../adapters/metrics/metrics.ts';
import { watchesResource, type WatchName } from '../../shards/watch-names.ts';
import type { EventResult } from '../kubernetes-events/event-recorder.ts';
import { RESOURCES, type Resource } from '../live-set/live-set.ts';

/** Shows the time of the last gap in each cluster; 0 without a gap since this process started. */
export function showGaps(
  metrics: Metrics,
  clusters: readonly string[],
): (events: readonly LedgerEvent[]) => void {
  const lasts = new Map(clusters.map((cluster) => [cluster, 0]));
  metrics.gauge(
    {
      name: 'jobledger_last_gap_timestamp_seconds',
      help: 'Time of the last recorded gap in the watch of a cluster; 0: none since the start of the process.',
      labels: ['cluster'],
    },
    () => [...lasts].map(([cluster, value]) => ({ labels: { cluster }, value })),
  );
  return (events) => {
    for (const { type, time, data } of events)
      if (type === 'cluster.gap' || type === 'cluster.restored')
        lasts.set(data.cluster, Date.parse(time) / 1000);
  };
}

/** Reports when each cluster that this ingester leads last sent an event, and which objects are not recorded. */
export interface WatchMetrics {
  leads(cluster: string, isLeading: boolean): void;
  received(cluster: string, watch: WatchName<Resource>): void;
  /** Counts a version of an object that is not recorded. */
  notRecorded(cluster: string, resource: Resource): void;
  /** Counts a Kubernetes Event that a watch or a list showed. */
  kubernetesEvent(cluster: string, result: EventResult): void;
}

/**
 * Creates the metrics of the watches. A cluster that another ingester leads has no times, so that only the times of its
 * leader are compared with the clock.
 */
export function showWatches(
  metrics: Metrics,
  { clusters, shards }: { clusters: readonly string[]; shards: number },
): WatchMetrics {
  const receivedAt = new Map(clusters.map((cluster) => [cluster, new Map<WatchName<Resource>, number>()]));
  const leading = new Set<string>();
  metrics.gauge(
    {
      name: 'jobledger_cluster_leading',
      help: 'Whether this ingester is the active one for a cluster (1) or not (0).',
      labels: ['cluster'],
    },
    () => clusters.map((cluster) => ({ labels: { cluster }, value: leading.has(cluster) ? 1 : 0 })),
  );
  metrics.gauge(
    {
      name: 'jobledger_cluster_shards',
      help: 'The number of ingesters that divide the cluster among themselves; 1: one records all of it.',
      labels: ['cluster'],
    },
    () => clusters.map((cluster) => ({ labels: { cluster }, value: shards })),
  );
  metrics.gauge(
    {
      name: 'jobledger_watch_last_received_timestamp_seconds',
      help: 'Time of the last list, event or bookmark of a watch, in the active ingester of the cluster; with several namespaces, the time of the namespace that was silent for longest.',
      labels: ['cluster', 'resource'],
    },
    () =>
      [...receivedAt].flatMap(([cluster, times]) =>
        RESOURCES.flatMap((resource) => {
          const ofResource = [...times].filter(([name]) => watchesResource(resource, name));
          if (ofResource.length === 0) return [];
          const value = Math.min(...ofResource.map(([, time]) => time));
          return [{ labels: { cluster, resource }, value }];
        }),
      ),
  );
  const notRecorded = metrics.counter({
    name: 'jobledger_objects_not_recorded_total',
    help: 'Versions of objects that are not recorded, because they are too large or cannot be translated.',
    labels: ['cluster', 'resource'],
  });
  // The counter starts with 0, so that an alert sees the first increase.
  for (const cluster of clusters) for (const resource of RESOURCES) notRecorded({ cluster, resource }, 0);
  const events = metrics.counter({
    name: 'jobledger_kubernetes_events_total',
    help: 'Kubernetes Events of other programs that were read, by result: recorded, repeated (a recorded Event with the same text), other (not about a Job or its pods, or with another reason), waiting (for its object), dropped.',
    labels: ['cluster', 'result'],
  });
  return {
    kubernetesEvent: (cluster, result) => events({ cluster, result }),
    notRecorded: (cluster, resource) => notRecorded({ cluster, resource }),
    leads(cluster, isLeading) {
      if (isLeading) leading.add(cluster);
      else leading.delete(cluster);
      receivedAt.get(cluster)?.clear();
    },
    received: (cluster, watch) => void receivedAt.get(cluster)?.set(watch, Date.now() / 1000),
  };
}
