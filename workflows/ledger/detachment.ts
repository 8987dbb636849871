import type { Claim } from '../kubernetes/names.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * Jobledger marks each pod of its Jobs with a finalizer until a status counts the pod, so that a pod cannot disappear
 * before it is counted. Before Jobledger is uninstalled, a person detaches the cluster with `jobledger admin detach`:
 * the command removes this finalizer from all pods, whether or not a status has counted them. The pods whose finalizer
 * is removed are released.
 */
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
 * This event is recorded before the first finalizer is removed. The numbers of pods are sums over all Jobs and over
 * the pods without a Job. `claim` says which Jobs Jobledger controls in the cluster. `jobCount` is the number of Jobs
 * whose pods are released. `namespaces` are the only detached namespaces; the field is absent for a whole cluster.
 */
export type ClusterDetached = RecordedEvent<
  'cluster.detached',
  Detachment & {
    cluster: string;
    claim: Claim;
    namespaces?: string[];
    jobCount: number;
    /** The number of released pods that belong to no Job. */
    orphanCount: number;
    /** The number of Jobs that have not finished. */
    openJobCount: number;
    /** The number of CronJobs that no longer start Jobs. */
    cronJobCount: number;
    /** The number of placed Jobs, for which Jobledger chooses a cluster, that lose their finalizer. */
    placedJobCount: number;
  }
>;
