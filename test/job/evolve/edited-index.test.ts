import { beforeEach, describe, expect, it } from '@jest/globals';
import { podName } from '../../../workflows/job/definitions/pod-names.ts';
import { aJob, aPod, JOB_UID } from '../../support/builders.ts';
import { given } from '../../support/given.ts';

const two = { completionMode: 'Indexed', completions: 2, parallelism: 1 } as const;
const name = podName({ uid: JOB_UID, name: 'pi' }, 0, 0);
const uid = 'uid-of-the-pod';
let made: ReturnType<typeof aPod>;
let edited: ReturnType<typeof aPod>;

beforeEach(() => {
  made = aPod({ name, uid, index: 0 });
  edited = aPod({ name, uid, index: 1 });
});

describe('an edit of the index annotation of a running pod', () => {
  it('changes the index of the pod in an ordinary Job, as upstream, and one Warning Event reports the edit (J-0.4)', () => {
    const job = given(aJob(two)).and(made);
    const { state } = job.and(edited);
    expect(state.pods[uid]).toMatchObject({ ordinal: 0, index: 1, createdFor: 0 });
    const first = job
      .when(edited)
      .thenReports(
        `Warning IndexEdited: the annotation with the index of the pod ${name} was edited: it was created for index 0; the index of the annotation counts`,
      );
    first.recorded().when(null).thenReports();
  });

  it('does not change the index of the pod in a member of a spread Job (J-16.24)', () => {
    const member = aJob({ ...two, annotations: { 'jobledger.dev/indexes': '1:0,1' } });
    const { state } = given(member).and(made, aPod({ name, uid, index: 1, phase: 'Succeeded' }));
    expect(state.pods[uid]).toMatchObject({ ordinal: 0, index: 0, createdFor: 0 });
    given(member)
      .and(made)
      .when(aPod({ name, uid, index: 1, phase: 'Succeeded' }), { after: 1 })
      .thenStatus({ completedIndexes: '0' });
  });

  it('does not change the index in a member even if the pod is observed before the member', () => {
    const { state } = given(edited).and(aJob({ ...two, annotations: { 'jobledger.dev/indexes': '1:0,1' } }));
    expect(state.pods[uid]).toMatchObject({ ordinal: 0, index: 0, createdFor: 0 });
  });

  it('is not recognised, and the annotation counts, when the name of the pod was not made by Jobledger', () => {
    const { state } = given(aJob(two)).and(aPod({ name: 'pi-0-other', uid, index: 1 }));
    expect(state.pods[uid]).toMatchObject({ name: 'pi-0-other', index: 1 });
    expect(state.pods[uid]?.createdFor).toBeUndefined();
  });
});
