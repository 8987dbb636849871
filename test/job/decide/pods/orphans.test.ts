import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import { podFacts } from '../../../../workflows/job/observe/compact.ts';
import {
  aJob,
  aRunningPod,
  podObject,
  START,
  type JobFields,
  type PodFields,
} from '../../../support/builders.ts';
import { given, givenState } from '../../../support/given.ts';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  trackedPods,
  runWorkflowTask,
  type ModelCluster,
} from '../../../support/model-cluster.ts';
import { setPod } from '../../../support/model-cluster-api.ts';
import { unfoundedDecisions } from '../../../support/model-cluster-verify.ts';

const own: JobFields = { parallelism: 2, completions: 2, manualSelector: true };
const orphan = { controller: 'none', untracked: true };

/** Pods that the watch no longer shows, because they are older than the Job. */
function withOlder(pods: PodFields[], job: JobFields = own): ModelCluster {
  const cluster = createModelCluster(job, () => 'Succeeded');
  for (const pod of pods) setPod(cluster.api, podObject(pod));
  cluster.api.journal.pods = [];
  deliverAll(cluster);
  return cluster;
}

describe('pods that are older than the Job (J-1.10)', () => {
  it('are queried before any other command when the author set the selector (J-3.30)', () => {
    given(aJob(own)).when(null).thenCommands('look up orphans');
    given(aJob({ ...own, suspend: true }))
      .when(null)
      .thenCommands('look up orphans');
  });

  it('are queried by the selector, and the decision records the reason', () => {
    const selector = { matchLabels: { app: 'pi' } };
    const { verdict } = given(aJob({ ...own, selector }))
      .when(null)
      .thenBecause('J-3.30: the selector is the author’s own: pods may be older than the Job');
    expect(verdict.commands[0]).toMatchObject({ kind: 'LookUpOrphans', selector });
  });

  it('delay every command of the Job while the API refuses the query (J-3.2)', () => {
    const { state } = given(aJob(own));
    const retries = { LookUpOrphans: { errors: 3, until: START + 4000, message: 'no' } };
    givenState({ ...state, retries })
      .when(null)
      .thenCommands()
      .thenLookAgain(4)
      .thenWaitsBy(
        'J-3.2',
        'no LookUpOrphans before 2026-03-01T12:00:04.000Z: 3 errors of the API, the last: no',
      );
  });

  it('are not queried when the selector was generated, because they cannot match it', () => {
    given(aJob({ ...own, manualSelector: false }))
      .when(null)
      .thenCommands('+2', 'status');
  });

  it('are ignored for a Job that is being deleted', () => {
    const { verdict } = given(aJob({ ...own, deleting: true })).when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('LookUpOrphans');
  });

  it('are adopted, and only the missing pods are created', async () => {
    const cluster = withOlder([orphan]);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(1);
    expect(cluster.api.job?.status).toMatchObject({ active: 2 });
    expect(trackedPods(cluster)).toHaveLength(2);
    expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
  });

  it('are queried only once', async () => {
    const cluster = withOlder([]);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(2);
    expect(cluster.workflow.state.orphansFound).toBe(true);
  });

  it('count as succeeded when they have succeeded and their adoption is observed', async () => {
    const ended = { ...orphan, phase: 'Succeeded' };
    const cluster = withOlder([ended, ended]);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.api.job?.status?.succeeded).toBeUndefined();
    deliverAll(cluster);
    await runWorkflowTask(cluster);
    expect(cluster.api.job?.status).toMatchObject({ succeeded: 2 });
    expect(trackedPods(cluster)).toEqual([]);
  });

  it('are queried again when the query has failed, and no pod is created before (J-3.34)', async () => {
    const cluster = withOlder([orphan]);
    refuseChanges(cluster, ['get']);
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(0);
    expect(cluster.workflow.state.waiting?.rule).toBe('J-3.2');
    cluster.api.trouble = () => null;
    cluster.api.now += 1000;
    await runWorkflowTask(cluster);
    expect(cluster.api.created).toHaveLength(1);
  });

  it('are not all found while a response says that there are more', () => {
    const { state } = given(aJob(own));
    const asked = {
      ...state,
      pending: [
        { kind: 'LookUpOrphans' as const, selector: {}, why: { rule: 'J-3.30' as const, message: '' } },
      ],
    };
    const { more, none } = { more: answered(true), none: answered(false) };
    expect(fold(asked, [more]).orphansFound).toBe(false);
    expect(fold(asked, [none]).orphansFound).toBe(true);
  });

  it('retain the state that the watch showed when the query then returns an older one', () => {
    const seen = aRunningPod({ ...orphan, uid: 'uid-of-orphan' });
    const { state } = given(aJob(own)).and(seen);
    const before = state.pods['uid-of-orphan'];
    expect(fold(state, [answered(false)]).pods['uid-of-orphan']).toEqual(before);
  });
});

function answered(more: boolean) {
  const orphans = [podFacts(podObject({ ...orphan, uid: 'uid-of-orphan', phase: 'Pending' }))];
  return {
    id: `answer-${more}`,
    digest: '',
    type: 'outcome.recorded' as const,
    source: '',
    subject: '',
    data: {
      cluster: 'c',
      jobUid: 'u',
      decision: 'd',
      command: 0,
      attempt: 1,
      outcome: { kind: 'LookUpOrphans' as const, result: 'done' as const, orphans, more, at: 0 },
    },
  };
}
