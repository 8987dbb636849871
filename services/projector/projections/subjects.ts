import type {
  ClusterConnected,
  ClusterGap,
  ClusterRestored,
} from '../../../workflows/ledger/cluster-events.ts';
import type { ClusterDetached } from '../../../workflows/ledger/detachment.ts';
import type { KubernetesEventsDropped } from '../../../workflows/ledger/kubernetes-events.ts';
import type { NodeDeleted, NodeObserved } from '../../../workflows/ledger/nodes.ts';
import type { PricesApplied } from '../../../workflows/ledger/prices.ts';
import type { JobEvent, SubmissionReceived } from '../../../workflows/job/events.ts';

/** An event of a whole cluster. */
export type ClusterEvent = ClusterConnected | ClusterGap | ClusterRestored | ClusterDetached;

/** An event of a node of a cluster. */
export type NodeEvent = NodeObserved | NodeDeleted;

/** An event in the stream of a Job. */
export type JobStreamEvent = Exclude<
  JobEvent,
  ClusterEvent | KubernetesEventsDropped | NodeEvent | PricesApplied | SubmissionReceived
>;

export function isOfJob<E extends { data: object }>(
  event: E,
): event is Extract<E, { data: { jobUid: string } }> {
  return 'jobUid' in event.data;
}

/** The namespace and the name of an event's Job. */
export function jobNameIn(event: JobEvent): { namespace: string; name: string } {
  return parseSubject(event.subject);
}

/** The namespace and the name in the subject of an event. */
export function parseSubject(subject: string): { namespace: string; name: string } {
  const slash = subject.indexOf('/');
  return { namespace: subject.slice(0, Math.max(slash, 0)), name: subject.slice(slash + 1) };
}
