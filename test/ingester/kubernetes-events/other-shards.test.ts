import { describe, expect, it } from '@jest/globals';
import type { LiveRecord } from '../../../services/live-topic/live-topic.ts';
import { createFindStream } from '../../../services/ingester/kubernetes-events/find-stream.ts';
import { collectRecorded } from '../../../services/ingester/kubernetes-events/other-shards.ts';
import { readEvent } from '../../../services/ingester/kubernetes-events/read-event.ts';
import { anEvent } from './an-event.ts';

const POD = { namespace: 'default', name: 'pi-x7k2q', resourceVersion: '400', jobs: ['job-1'] };
const JOB = { namespace: 'default', name: 'pi', resourceVersion: '400', selector: {} };

function collected(most?: number): {
  write: (kind: LiveRecord['kind'], key: string, value: unknown, cluster?: string) => void;
  find: () => unknown;
} {
  const { live, note } = collectRecorded('east', most);
  const event = readEvent(anEvent());
  if (typeof event === 'string') throw new Error(event);
  return {
    write: (kind, key, value, cluster = 'east') =>
      note({ cluster, kind, key, value }, `${cluster}/${kind}/${key}`),
    find: () => createFindStream([live])(event),
  };
}

describe('the objects that the ingesters of other shards have recorded', () => {
  it('have the Job of an Event, also after the pod was deleted', () => {
    const { write, find } = collected();
    write('pods', 'pod-1', POD, 'west');
    expect(find()).toBe('unknown');
    write('jobs', 'job-1', JOB);
    write('pods', 'pod-1', POD);
    write('pods', 'pod-1', null);
    expect(find()).toEqual({ jobUid: 'job-1', jobName: 'pi' });
  });

  it('forget the object that was deleted first when more are deleted than are kept', () => {
    const { write, find } = collected(1);
    write('pods', 'pod-1', POD);
    write('pods', 'pod-1', null);
    write('pods', 'pod-2', { ...POD, name: 'other' });
    write('pods', 'pod-2', null);
    expect(find()).toBe('unknown');
  });

  it('show that a pod is of no Job once a shard has passed its version', () => {
    const { write, find } = collected();
    write('position', 'pods.1:2', { resourceVersion: '9999', time: '' });
    write('position', 'pods.2:2', { resourceVersion: '9999', time: '' });
    expect(find()).toBe('other');
  });
});
