import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { JobEvent, KubernetesEventObserved } from '../../workflows/job/events.ts';

/** A Kubernetes Event of the scheduler about a pod in the stream of a Job. `lastAt` is also when it was recorded. */
export function aKubernetesEvent(
  { data, subject, source }: Pick<JobEvent, 'data' | 'subject' | 'source'>,
  members: Partial<KubernetesEventObserved['data']> & { lastAt: string },
): KubernetesEventObserved {
  if (!('jobUid' in data)) throw new Error('not an event of a Job');
  const { cluster, jobUid } = data;
  const regarding = members.regarding ?? { kind: 'Pod', uid: 'pod-1', name: 'pi-x7k2q' };
  const eventUid = members.eventUid ?? 'event-1';
  const resourceVersion = members.resourceVersion ?? '500';
  return withDigest<KubernetesEventObserved>({
    id: `${cluster}/kubernetes-event/${regarding.uid}/${eventUid}/${resourceVersion}`,
    type: 'kubernetes-event.observed',
    source,
    subject,
    time: members.lastAt,
    data: {
      cluster,
      jobUid,
      regarding,
      reason: 'FailedScheduling',
      type: 'Warning',
      reportedBy: 'default-scheduler',
      note: '0/3 nodes are available: 3 Insufficient cpu.',
      count: 1,
      firstAt: members.lastAt,
      eventUid,
      resourceVersion,
      ...members,
    },
  });
}
