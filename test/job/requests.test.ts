import { describe, expect, it } from '@jest/globals';
import { isOver } from '../../workflows/job/after-the-end.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aJob, asked, at, jobDeleted, START } from '../support/builders.ts';
import { given } from '../support/given.ts';
import { createModelCluster, deliverAll, refuse, settleDown, work } from '../support/model-cluster.ts';

const one = { parallelism: 1, completions: 1 };
const ended = {
  startTime: at(-9),
  completionTime: at(-1),
  conditions: [{ type: 'Complete', status: 'True' }],
};

describe('a person asks', () => {
  it.each([
    { wish: 'suspend' as const, job: one, does: 'suspend' },
    { wish: 'suspend' as const, job: { ...one, suspend: true }, does: 'refuse' },
    { wish: 'resume' as const, job: { ...one, suspend: true }, does: 'resume' },
    { wish: 'resume' as const, job: one, does: 'refuse' },
    { wish: 'suspend' as const, job: { ...one, deleting: true }, does: 'refuse' },
    { wish: 'suspend' as const, job: { ...one, status: ended }, does: 'refuse' },
  ])('$wish of $job: $does', ({ wish, job, does }) => {
    given(aJob(job)).when(asked(wish)).thenCommands(does);
  });

  it('who asked, and why it is refused, stand in the decision', () => {
    const { verdict } = given(aJob({ ...one, status: ended })).when(asked('suspend', 'ann'));
    expect(verdict.commands[0]?.why.words).toBe('suspend by ann refused: the Job has finished');
  });

  it('of a Job that is gone: refused, and the workflow ends after that', () => {
    const { state } = given(aJob(one)).and(jobDeleted()).when(asked('suspend')).thenCommands('refuse');
    expect(isOver(state, DEFAULT_SETTINGS)).toBe(false);
  });

  it('one wish after the other', () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    work(cluster);
    cluster.workflow.inbox.push(asked('suspend'));
    work(cluster);
    deliverAll(cluster);
    work(cluster);
    expect(cluster.api.job?.status?.conditions).toMatchObject([{ type: 'Suspended', status: 'True' }]);
    cluster.workflow.inbox.push(asked('resume'));
    settleDown(cluster);
    expect(cluster.api.job?.status?.succeeded).toBe(1);
  });

  it('both at once: the last wish holds', () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    work(cluster);
    cluster.workflow.inbox.push(asked('suspend'), asked('resume'));
    work(cluster);
    expect(cluster.api.job?.spec.suspend).toBe(false);
  });

  it('again a second later when the API refuses', () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    work(cluster);
    cluster.workflow.inbox.push(asked('suspend'));
    refuse(cluster, ['patch']);
    const { now } = cluster.api;
    work(cluster);
    expect(cluster.workflow.lookAgainAt).toBe(now + 1000);
  });

  it('which is refused, and the Job goes on all the same', () => {
    const cluster = createModelCluster({ ...one, activeDeadlineSeconds: 5 }, () => 'Succeeded');
    deliverAll(cluster);
    work(cluster);
    cluster.workflow.inbox.push(asked('suspend'));
    refuse(cluster, ['patch']);
    work(cluster);
    cluster.api.now = START + 6000;
    work(cluster);
    expect(cluster.api.job?.status?.conditions).toMatchObject([{ type: 'FailureTarget' }]);
  });
});
