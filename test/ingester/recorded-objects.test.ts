import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import { changeToAdd, createRecordedObjects } from '../../services/ingester/translate/recorded-objects.ts';
import { CLUSTER, JOB_UID, jobObject, podObject } from '../support/builders.ts';

const job = jobObject({ name: 'train', uid: 'uid-of-train' });
const pod = podObject({ name: 'train-x' });
const inStream = { cluster: CLUSTER, jobUid: JOB_UID };
const deletion = { resourceVersion: '9', seen: true };
const podDeletion = { ...deletion, podUid: pod.metadata.uid, podName: 'train-x' };
const inCronJob = { cluster: CLUSTER, cronJobUid: 'uid-of-nightly' };
const childDeletion = { ...deletion, childUid: 'uid-of-train', childName: 'train' };

const ofJob = (type: JobEvent['type'], data: object): LedgerEvent => ({ type, data }) as LedgerEvent;
const ofCronJob = (type: CronJobEvent['type'], data: object): LedgerEvent => ({ type, data }) as LedgerEvent;

/** The live set after the objects of some events were added. */
function liveSetAfter(events: readonly LedgerEvent[], live = emptyLiveSet()): LiveSet {
  const objects = createRecordedObjects();
  for (const event of events) objects.note(event);
  for (const object of objects.all()) {
    const change = changeToAdd(live, object);
    if (change !== null) applyChange(live, change);
  }
  return live;
}

describe('the objects that the ledger shows to an ingester', () => {
  it('are Jobs, pods and CronJobs, each with the version 0, which every list replaces', () => {
    const live = liveSetAfter([
      ofJob('job.observed', { cluster: CLUSTER, jobUid: 'uid-of-train', object: job }),
      ofJob('pod.observed', { ...inStream, object: pod }),
      ofCronJob('cronjob.observed', {
        ...inCronJob,
        object: { metadata: { ...job.metadata, uid: 'uid-of-nightly', name: 'nightly' } },
      }),
    ]);
    expect(live.jobs.get('uid-of-train')).toMatchObject({ name: 'train', resourceVersion: '0' });
    expect(live.pods.get(pod.metadata.uid)).toMatchObject({ jobs: [JOB_UID], resourceVersion: '0' });
    expect(live.cronjobs.get('uid-of-nightly')).toMatchObject({ name: 'nightly', resourceVersion: '0' });
  });

  it('do not include objects that a later event of the stream shows as deleted', () => {
    const live = liveSetAfter([
      ofJob('job.observed', { cluster: CLUSTER, jobUid: 'uid-of-train', object: job }),
      ofJob('pod.observed', { ...inStream, object: pod }),
      ofJob('pod.deleted', { ...inStream, ...podDeletion }),
      ofJob('job.deleted', { cluster: CLUSTER, jobUid: 'uid-of-train', ...deletion }),
    ]);
    expect(live).toEqual(emptyLiveSet());
  });

  it('belong only to the streams whose last event shows them, so that an interrupted deletion is completed', () => {
    const live = liveSetAfter([
      ofJob('pod.observed', { ...inStream, object: pod }),
      ofJob('pod.observed', { ...inStream, jobUid: 'uid-of-other', object: pod }),
      ofJob('pod.deleted', { ...inStream, ...podDeletion }),
      ofJob('job.observed', { cluster: CLUSTER, jobUid: 'uid-of-train', object: job }),
      ofCronJob('job.observed', { ...inCronJob, object: job }),
      ofJob('job.deleted', { cluster: CLUSTER, jobUid: 'uid-of-train', ...deletion }),
    ]);
    expect(live.pods.get(pod.metadata.uid)?.jobs).toEqual(['uid-of-other']);
    expect(live.jobs.get('uid-of-train')?.cronJobs).toEqual(['uid-of-nightly']);
    const gone = ofCronJob('job.deleted', { ...inCronJob, ...childDeletion });
    expect(liveSetAfter([ofCronJob('job.observed', { ...inCronJob, object: job }), gone]).jobs.size).toBe(0);
  });

  it('add to the live set only the missing streams', () => {
    const live = emptyLiveSet();
    const known = { namespace: 'default', name: 'train-x', resourceVersion: '7', jobs: [JOB_UID] };
    live.pods.set(pod.metadata.uid, known);
    liveSetAfter([ofJob('pod.observed', { ...inStream, object: pod })], live);
    expect(live.pods.get(pod.metadata.uid)).toBe(known);
    liveSetAfter([ofJob('pod.observed', { ...inStream, jobUid: 'uid-of-other', object: pod })], live);
    expect(live.pods.get(pod.metadata.uid)).toEqual({ ...known, jobs: [JOB_UID, 'uid-of-other'] });
    live.jobs.set('uid-of-train', {
      namespace: 'default',
      name: 'train',
      resourceVersion: '7',
      selector: {},
    });
    liveSetAfter([ofCronJob('job.observed', { ...inCronJob, object: job })], live);
    expect(live.jobs.get('uid-of-train')).toMatchObject({
      resourceVersion: '7',
      cronJobs: ['uid-of-nightly'],
    });
  });
});
