import type { EventObject } from '../../../services/ingester/kubernetes-events/event-object.ts';

/** An Event of the scheduler about the pod `pi-x7k2q` of the namespace `default`. */
export function anEvent(
  changes: Partial<EventObject> = {},
  metadata: Partial<EventObject['metadata']> = {},
): EventObject {
  return {
    metadata: {
      name: 'pi-x7k2q.18c0ffee',
      namespace: 'default',
      uid: 'event-1',
      resourceVersion: '500',
      creationTimestamp: '2026-12-01T08:00:00Z',
      ...metadata,
    },
    regarding: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name: 'pi-x7k2q',
      uid: 'pod-1',
      resourceVersion: '480',
    },
    reason: 'FailedScheduling',
    type: 'Warning',
    note: '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.',
    reportingController: 'default-scheduler',
    eventTime: '2026-12-01T08:00:00.123456Z',
    ...changes,
  };
}
