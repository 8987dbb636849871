import type { RecordedEvent } from './recorded-event.ts';

/** A resource that is recorded only where the account of the ingester may read it. */
export type OptionalResource = 'cronjobs' | 'events' | 'nodes';

/**
 * This event is recorded when an ingester begins to watch the cluster, and when `version`, `apis` or `notRecorded` has
 * changed.
 * `uid` identifies the cluster: it is the UID of the namespace `namespace` or, when this field is absent, of
 * kube-system. `version` is the version of the API server. `apis` are the versions of the API groups `batch`,
 * `scheduling.k8s.io` and `admissionregistration.k8s.io` that the API server serves; the field is absent when the API
 * server does not report them. `notRecorded` are the resources that the ingester may not read, so that they are not
 * recorded.
 */
export type ClusterConnected = RecordedEvent<
  'cluster.connected',
  {
    cluster: string;
    uid: string;
    version: string;
    namespace?: string;
    apis?: string[];
    notRecorded?: OptionalResource[];
  }
>;

/**
 * Changes after resourceVersion `from` and up to `to` may be missing, because the API server no longer had them, or
 * because a periodic list found changes that the watch had not reported. `resource` is one of the resources that are
 * watched. `since` and `until` are in RFC 3339: the time of the last event, or of the previous list, before the gap,
 * and the time of the list after the gap. `namespace` is the only namespace of the gap when only given namespaces are
 * watched.
 */
export type ClusterGap = RecordedEvent<
  'cluster.gap',
  {
    cluster: string;
    resource: 'jobs' | 'pods' | 'cronjobs';
    namespace?: string;
    from: string;
    to: string;
    since: string;
    until: string;
    reason: string;
  }
>;

/**
 * The API server was restored from an older copy, so versions started over: `epoch` is the number of the new epoch,
 * `from` the last version of the previous epoch, and `to` the version of the list that showed the restore.
 * Alternatively, `from` and `to` are versions of an object that the list shows in an older version. `since`, `until`:
 * as in a gap.
 */
export type ClusterRestored = RecordedEvent<
  'cluster.restored',
  { cluster: string; epoch: number; from: string; to: string; since: string; until: string }
>;
