import type { Claim } from '../kubernetes/names.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * `uid` identifies the cluster: it is the UID of the namespace `namespace` or, when this field is absent, of
 * kube-system.
 */
export type ClusterConnected = RecordedEvent<
  'cluster.connected',
  { cluster: string; uid: string; version: string; namespace?: string; apis?: string[] }
>;

/**
 * Changes after resourceVersion `from` and up to `to` may be missing, because the API server no longer had them, or because
 * a periodic list found changes that the watch had not reported. `since` and `until` are in RFC 3339: the time of the
 * last event, or of the previous list, before the gap, and the time of the list after the gap. `namespace` is the
 * only namespace of the gap when only given namespaces are watched.
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

/** The effect of `jobledger admin detach` on pods: their tracking finalizer is removed without a count. */
export interface Detachment {
  /** The id of the detachment, which is equal in all of its events. */
  detachment: string;
  /** The person who detaches the cluster. */
  by: string;
  /** The number of pods that will be released. */
  podCount: number;
  /** The number of these pods that have not ended, and that nobody will count. */
  runningPodCount: number;
  /** The number of ended pods that no status has counted. */
  uncountedPodCount: number;
}

/**
 * This event is recorded before the first finalizer is removed. The numbers are the sums over all Jobs and orphans;
 * `jobCount` is the number of Jobs whose pods are released. `namespaces` are the only detached namespaces; the field
 * is absent for a whole cluster.
 */
export type ClusterDetached = RecordedEvent<
  'cluster.detached',
  Detachment & {
    cluster: string;
    claim: Claim;
    namespaces?: string[];
    jobCount: number;
    /** Pods without a Job. */
    orphanCount: number;
    /** The number of Jobs that have not finished. */
    openJobCount: number;
    /** The number of CronJobs that no longer start Jobs. */
    cronJobCount: number;
    /** The number of placed Jobs that lose their finalizer. */
    placedJobCount: number;
  }
>;
