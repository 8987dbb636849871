import { describe, expect, it } from '@jest/globals';
import { createDepartedObjects } from '../../../services/ingester/kubernetes-events/departed-objects.ts';
import { createFindStream } from '../../../services/ingester/kubernetes-events/find-stream.ts';
import { readEvent, type ReadEvent } from '../../../services/ingester/kubernetes-events/read-event.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../../services/ingester/live-set/live-set.ts';
import { anEvent } from './an-event.ts';

function eventAbout(regarding: object = {}): ReadEvent {
  const read = readEvent(anEvent({ regarding: { ...anEvent().regarding, ...regarding } }));
  if (typeof read === 'string') throw new Error(read);
  return read;
}

function liveSet(jobs: string[] = ['job-1']): LiveSet {
  const live = emptyLiveSet();
  const [namespace, resourceVersion] = ['default', '400'];
  live.jobs.set('job-1', { namespace, name: 'pi', resourceVersion, selector: {} });
  live.pods.set('pod-1', { namespace, name: 'pi-x7k2q', resourceVersion, jobs });
  return live;
}

describe('the stream of an Event', () => {
  it('is that of the Job in whose stream the pod is, or that of the Job itself', () => {
    const find = createFindStream([liveSet()]);
    const ofJob = { jobUid: 'job-1', jobName: 'pi' };
    expect(find(eventAbout())).toEqual(ofJob);
    expect(find(eventAbout({ apiVersion: 'batch/v1', kind: 'Job', uid: 'job-1', name: 'pi' }))).toEqual(
      ofJob,
    );
    expect(createFindStream([liveSet(['pod-1'])])(eventAbout())).toEqual({
      jobUid: 'pod-1',
      jobName: 'pi-x7k2q',
    });
  });

  it('does not exist for an Event whose author names the UID of an object of another namespace or name', () => {
    const live = liveSet();
    const find = createFindStream([live]);
    expect(find({ ...eventAbout(), namespace: 'other' })).toBe('other');
    expect(find(eventAbout({ name: 'pi-other' }))).toBe('other');
  });

  it('is not known until the watch has passed the version of the pod that the Event names', () => {
    const live = liveSet();
    const find = createFindStream([live], 1);
    const late = eventAbout({ uid: 'pod-2', resourceVersion: '480' });
    const at = (resourceVersion: string, epoch?: number): unknown => {
      live.positions.pods = { resourceVersion, time: '', ...(epoch !== undefined && { epoch }) };
      return find(late);
    };
    expect(find(late)).toBe('unknown');
    expect([at('479', 1), at('9999'), at('480', 1)]).toEqual(['unknown', 'unknown', 'other']);
    expect(find(eventAbout({ uid: 'pod-2', resourceVersion: undefined }))).toBe('unknown');
  });

  it('is still known when the deletion of the pod came before the Event', () => {
    const [live, departed] = [liveSet(), createDepartedObjects()];
    for (const [resource, uid] of [
      ['pods', 'pod-1'],
      ['jobs', 'job-1'],
    ] as const) {
      const change = { resource, uid, entry: null };
      departed.note(live, change);
      applyChange(live, change);
    }
    live.positions.pods = { resourceVersion: '9999', time: '' };
    expect(createFindStream([live, departed])(eventAbout())).toEqual({ jobUid: 'job-1', jobName: 'pi' });
  });
});
