import type { EventObject } from '../../services/ingester/kubernetes-events/event-object.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from './cluster.ts';

/** Creates an Event about a pod in the namespace of a cluster, by default as kube-scheduler does. */
export function postEvent(
  { client, namespace }: Pick<TestCluster, 'client' | 'namespace'>,
  pod: { name: string; uid: string; resourceVersion?: string },
  { name, ...event }: Partial<EventObject> & { name: string },
): Promise<EventObject> {
  return client.request<EventObject>({
    method: 'POST',
    path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace, ...pod },
      action: 'Scheduling',
      reason: 'FailedScheduling',
      type: 'Warning',
      reportingController: 'default-scheduler',
      reportingInstance: 'default-scheduler-1',
      eventTime: `${new Date().toISOString().slice(0, -1)}000Z`,
      ...event,
    },
  });
}

/** The fields with which an Event names a pod. */
export function podNamed({ metadata }: Pod): { name: string; uid: string; resourceVersion: string } {
  const { name, uid, resourceVersion } = metadata;
  return { name, uid, resourceVersion };
}
