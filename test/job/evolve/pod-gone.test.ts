import { compact } from '../../../workflows/job/observe/compact.ts';
import type { PodDeleted } from '../../../workflows/job/events.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { INITIAL_STATE } from '../../../workflows/job/state.ts';
import { aFailedPod, aJob, CLUSTER, JOB_UID, nextVersion, podObject } from '../../support/builders.ts';

describe('a deleted pod that disappeared when Jobledger released it', () => {
  it('is counted once, although the recorded deletion still shows the finalizer of Jobledger', () => {
    const failed = aFailedPod();
    const object = podObject({ phase: 'Failed' });
    const resourceVersion = nextVersion();
    const deletion: PodDeleted = {
      id: `${CLUSTER}/pod/${failed.pod.uid}/${resourceVersion}/deleted`,
      type: 'pod.deleted',
      source: CLUSTER,
      subject: 'default/pi',
      time: '2026-03-01T12:00:00.000Z',
      digest: '',
      data: {
        cluster: CLUSTER,
        jobUid: JOB_UID,
        podUid: failed.pod.uid,
        podName: failed.pod.name,
        resourceVersion,
        seen: true,
        object,
      },
    };
    expect(object.metadata.finalizers).toHaveLength(1);
    const fact = compact(deletion);
    const state = fold(INITIAL_STATE, [aJob(), ...(fact === null ? [] : [fact])]);
    expect(state.uncounted).toEqual({ succeeded: [], failed: [] });
    expect(state.pods).toEqual({});
  });
});
