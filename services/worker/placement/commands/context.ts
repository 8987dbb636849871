import type { PlacementOutcome } from '../../../../workflows/placement/outcomes.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { RequireKnownCluster } from './known-cluster.ts';
import type { Requesting } from '../../command/requests.ts';

/** The context of the commands of one attempt about a placed Job: its home, and the clusters of its members. */
export interface PlacementContext extends Requesting {
  /** The client for a member's cluster; null when this worker has no access. */
  memberClient(cluster: string): KubernetesClient | null;
  requireKnownCluster: RequireKnownCluster;
  /**
   * The epoch of the versions with which a cluster answers at present; for moments after a restore, an earlier epoch.
   */
  getEpoch(cluster: string): number;
  /** The present placed Job on the server; null when it is gone, or another Job has its name. */
  readJob(): Promise<Job | null>;
  /** Keeps a version of the placed Job from a response of the server. */
  rememberJob(job: Job): void;
  /** The id of the decision, which is the mark of a grant that the decision gives. */
  decision: string;
}

type WithoutInstant<A> = A extends PlacementOutcome ? Omit<A, 'at'> : never;

export type PlacementOutcomeOf<K extends PlacementOutcome['kind']> = WithoutInstant<
  Extract<PlacementOutcome, { kind: K }>
>;
