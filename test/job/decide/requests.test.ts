import { describe, expect, it } from '@jest/globals';
import { isOver } from '../../../workflows/job/decide/after-the-end.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { aJob, userRequest, at, jobDeleted, START } from '../../support/builders.ts';
import { given, givenState } from '../../support/given.ts';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  settleDown,
  runWorkflowTask,
} from '../../support/model-cluster.ts';

const one = { parallelism: 1, completions: 1 };
const ended = {
  startTime: at(-9),
  completionTime: at(-1),
  conditions: [{ type: 'Complete', status: 'True' }],
};

describe('a user request to the workflow', () => {
  it.each([
    { action: 'suspend' as const, job: one, does: 'suspend' },
    { action: 'suspend' as const, job: { ...one, suspend: true }, does: 'refuse' },
    { action: 'resume' as const, job: { ...one, suspend: true }, does: 'resume' },
    { action: 'resume' as const, job: one, does: 'refuse' },
    { action: 'suspend' as const, job: { ...one, deleting: true }, does: 'refuse' },
    { action: 'suspend' as const, job: { ...one, status: ended }, does: 'refuse' },
  ])('leads to the command $does when its action is $action and the Job is $job', ({ action, job, does }) => {
    given(aJob(job)).when(userRequest(action)).thenCommands(does);
  });

  it.each([
    { job: { ...one, status: ended }, action: 'suspend' as const, refusal: 'the Job has finished' },
    { job: { ...one, deleting: true }, action: 'suspend' as const, refusal: 'the Job is being deleted' },
    { job: { ...one, suspend: true }, action: 'suspend' as const, refusal: 'it is suspended already' },
    { job: one, action: 'resume' as const, refusal: 'it is not suspended' },
    { job: { ...one, suspend: false }, action: 'resume' as const, refusal: 'it is not suspended' },
    {
      job: { ...one, suspend: true, annotations: { 'jobledger.dev/placed-for': 'east/team/pi/home-uid' } },
      action: 'resume' as const,
      refusal: 'it runs for the placed Job east/team/pi: ask for it there',
    },
  ])(
    'is refused by a decision that names its user and the reason $refusal (J-6.37)',
    ({ job, action, refusal }) => {
      const { state } = given(aJob(job))
        .when(userRequest(action, 'bob'))
        .thenBecause(`J-6.37: the ${action} by bob is refused: ${refusal}`);
      expect(state.requests).toHaveLength(1);
    },
  );

  it('names its user in the decision that carries it out (J-6.41, J-6.42)', () => {
    const { state, verdict } = given(aJob(one))
      .when(userRequest('suspend', 'bob'))
      .thenBecause('J-6.41: suspend asked for by bob');
    expect(verdict.commands[0]).toMatchObject({ suspend: true, request: state.requests[0]?.id });
    given(aJob({ ...one, suspend: true }))
      .when(userRequest('resume', 'eve'))
      .thenBecause('J-6.42: resume asked for by eve');
  });

  it('is refused for a deleted Job, and the workflow then ends', () => {
    const { state } = given(aJob(one))
      .and(jobDeleted())
      .when(userRequest('suspend'))
      .thenCommands('refuse')
      .thenBecause('J-6.37: the suspend by ann is refused: the Job does not exist any more');
    expect(isOver(state, DEFAULT_SETTINGS)).toBe(false);
  });

  it('is carried out after an earlier one: the Job is suspended, and then resumed', async () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    cluster.workflow.inbox.push(userRequest('suspend'));
    await runWorkflowTask(cluster);
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    expect(cluster.api.job?.status?.conditions).toMatchObject([{ type: 'Suspended', status: 'True' }]);
    cluster.workflow.inbox.push(userRequest('resume'));
    await settleDown(cluster);
    expect(cluster.api.job?.status?.succeeded).toBe(1);
  });

  it('takes precedence over an earlier, contradicting request of the same sync', async () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    cluster.workflow.inbox.push(userRequest('suspend'), userRequest('resume'));
    await runWorkflowTask(cluster);
    expect(cluster.api.job?.spec.suspend).toBe(false);
  });

  it('is repeated a second later when the API refuses it', async () => {
    const cluster = createModelCluster(one, () => 'Succeeded');
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    cluster.workflow.inbox.push(userRequest('suspend'));
    refuseChanges(cluster, ['patch']);
    const { now } = cluster.api;
    await runWorkflowTask(cluster);
    expect(cluster.workflow.nextDecisionAt).toBe(now + 1000);
  });

  it('waits for the next attempt when the API has just refused a suspension, and does not block other commands until then (J-3.2)', () => {
    const { state } = given(aJob({ ...one, status: { startTime: at(0) } }));
    const retries = { SetSuspend: { errors: 1, until: START + 1000, message: 'no' } };
    givenState({ ...state, retries })
      .when(null)
      .thenLookAgain(null);
    givenState({ ...state, retries })
      .when(userRequest('suspend'))
      .thenCommands('+1', 'status')
      .thenLookAgain(1);
  });

  it('does not delay the deadline of the Job when the API refuses it', async () => {
    const cluster = createModelCluster({ ...one, activeDeadlineSeconds: 5 }, () => 'Succeeded');
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    cluster.workflow.inbox.push(userRequest('suspend'));
    refuseChanges(cluster, ['patch']);
    await runWorkflowTask(cluster);
    cluster.api.now = START + 6000;
    await runWorkflowTask(cluster);
    expect(cluster.api.job?.status?.conditions).toMatchObject([{ type: 'FailureTarget' }]);
  });
});

describe('a repeated user request to the workflow', () => {
  const request = userRequest('suspend');

  it('is recorded once in the state', () => {
    const { state } = given(aJob(one)).and(request, request).when(null);
    expect(state.requests).toEqual([{ id: request.id, action: 'suspend', by: 'ann' }]);
  });

  it('does not suspend a Job that was resumed after the first request', async () => {
    const cluster = createModelCluster(one, () => 'Running');
    for (const fact of [request, userRequest('resume'), request]) {
      cluster.workflow.inbox.push(fact);
      deliverAll(cluster);
      await runWorkflowTask(cluster);
      deliverAll(cluster);
      await runWorkflowTask(cluster);
    }
    expect(cluster.api.job?.spec.suspend).toBe(false);
  });

  it('is recognised by its id among the last hundred requests', () => {
    const requests = Array.from({ length: 101 }, () => userRequest('resume'));
    const { state } = given(aJob(one))
      .and(...requests)
      .when(null);
    expect(state.requested).toEqual(requests.slice(1).map(({ id }) => id));
  });
});
