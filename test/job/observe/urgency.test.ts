import { describe, expect, it } from '@jest/globals';
import type { Fact } from '../../../workflows/job/facts.ts';
import { jobUrgency } from '../../../workflows/job/observe/urgency.ts';
import {
  aFailedPod,
  aJob,
  aPendingPod,
  aRunningPod,
  userRequest,
  aSucceededPod,
  aTerminatingPod,
  podDeletion,
  jobDeleted,
} from '../../support/builders.ts';

const job = { parallelism: 1, completions: 1 };
const name = 'one';

describe('the urgency of a fact for the workflow of a Job', () => {
  it.each<{ what: string; before?: Fact; after: Fact; urgency: string }>([
    { what: 'a new Job', after: aJob(job), urgency: 'now' },
    { what: 'a changed spec', before: aJob(job), after: aJob({ ...job, generation: 2 }), urgency: 'now' },
    {
      what: 'a Job being deleted',
      before: aJob(job),
      after: aJob({ ...job, deleting: true }),
      urgency: 'now',
    },
    {
      what: 'a changed status',
      before: aJob(job),
      after: aJob({ ...job, status: { active: 1 } }),
      urgency: 'later',
    },
    { what: 'only a new version', before: aJob(job), after: aJob(job), urgency: 'none' },
    { what: 'a deleted Job', before: aJob(job), after: jobDeleted(), urgency: 'now' },
    { what: 'a user request', after: userRequest('suspend'), urgency: 'now' },
    { what: 'a pod just created', after: aPendingPod(), urgency: 'none' },
    { what: 'an orphan', after: aPendingPod({ controller: 'none' }), urgency: 'soon' },
    { what: 'a pod that runs already', after: aRunningPod(), urgency: 'later' },
    {
      what: 'a pod that begins to run',
      before: aPendingPod({ name }),
      after: aRunningPod({ name }),
      urgency: 'none',
    },
    {
      what: 'a pod that becomes ready',
      before: aRunningPod({ name }),
      after: aRunningPod({ name, readySince: 1 }),
      urgency: 'later',
    },
    {
      what: 'a restart',
      before: aRunningPod({ name }),
      after: aRunningPod({ name, restarts: 1 }),
      urgency: 'later',
    },
    { what: 'the end of a pod', before: aRunningPod({ name }), after: aFailedPod({ name }), urgency: 'soon' },
    {
      what: 'a pod being deleted',
      before: aRunningPod({ name }),
      after: aTerminatingPod({ name }),
      urgency: 'soon',
    },
    {
      what: 'a finalizer lost while it runs',
      before: aRunningPod({ name }),
      after: aRunningPod({ name, untracked: true }),
      urgency: 'soon',
    },
    {
      what: 'our own release of a finished pod',
      before: aSucceededPod({ name }),
      after: aSucceededPod({ name, untracked: true }),
      urgency: 'none',
    },
    {
      what: 'changed labels',
      before: aRunningPod({ name }),
      after: aRunningPod({ name, labels: {} }),
      urgency: 'soon',
    },
    {
      what: 'a live pod that is gone',
      before: aRunningPod({ name }),
      after: podDeletion(aRunningPod({ name })),
      urgency: 'soon',
    },
    { what: 'an unknown pod that is gone', after: podDeletion(aRunningPod({ name })), urgency: 'soon' },
    {
      what: 'a released pod that is gone',
      before: aSucceededPod({ name, untracked: true }),
      after: podDeletion(aSucceededPod({ name })),
      urgency: 'none',
    },
    {
      what: 'a released pod, after the memory was lost',
      after: aSucceededPod({ untracked: true }),
      urgency: 'soon',
    },
  ])('is $urgency for $what', ({ before, after, urgency }) => {
    expect(jobUrgency(before, after)).toBe(urgency);
  });
});
