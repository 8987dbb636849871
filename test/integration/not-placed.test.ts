import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../support/cluster.ts';
import { jobManifest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { createPlaced, isComplete, placedJob } from '../support/placed-jobs.ts';
import { verifyAll } from '../support/verify.ts';

// The author of a placed Job learns from Events why it is not placed. Only the namespace `team` may use a cluster here.

let installation: Installation;
let team: TestCluster;

beforeAll(async () => {
  const allow = [{ home: 'local', namespaces: ['team'] }];
  const JOBLEDGER_PLACEMENT = JSON.stringify({ clusters: [{ name: 'local', allow }] });
  installation = await install({ environment: { JOBLEDGER_PLACEMENT } });
  await installation.startServices();
  team = await installation.cluster.inNewNamespace('team');
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Resolves with the message of the first Event about the Job with this reason. */
function eventMessage(job: Job, reason: string, cluster = installation.cluster): Promise<string> {
  return eventually(`${job.metadata.name} has the Event ${reason}`, 60, async () => {
    const found = (await cluster.eventsOn(job)).find((each) => each.startsWith(`${reason}: `));
    return found?.slice(reason.length + 2);
  });
}

describe('a Job with managedBy: jobledger.dev/placement', () => {
  it('gets an Event and a condition when the operator allows no cluster for its namespace (J-16.4)', async () => {
    await createPlaced(installation.cluster, { name: 'early' });
    const job = await placedJob(installation.cluster, 'early', 'says where it is', ({ status }) =>
      (status?.conditions ?? []).some(({ type }) => type === 'jobledger.dev/Placed'),
    );
    const message = 'the operator allows no cluster for Jobs of this namespace';
    expect(job.status?.conditions).toMatchObject([
      { type: 'jobledger.dev/Placed', status: 'False', reason: 'NotPlaced', message },
    ]);
    expect(await eventMessage(job, 'NoCluster')).toBe(message);
  }, 120_000);

  it('gets an Event when its annotation names Jobs to wait for, which has no effect on a placed Job (J-16.2)', async () => {
    const annotations = { after: 'other' };
    const waits = await createPlaced(team, { name: 'waits', annotations, spec: { suspend: true } });
    const runs = await createPlaced(team, { name: 'runs', annotations });
    const message = 'a placed Job cannot wait for other Jobs: jobledger.dev/after has no effect';
    expect(await eventMessage(runs, 'InvalidAnnotation', team)).toBe(message);
    expect(await eventMessage(waits, 'InvalidAnnotation', team)).toBe(
      `${message}, and the Job stays suspended until a user resumes it`,
    );
    await placedJob(team, 'runs', 'is complete', isComplete);
    const events = await team.eventsOn(runs);
    expect(events.filter((each) => each.startsWith('InvalidAnnotation'))).toHaveLength(1);
  }, 120_000);
});

describe('a placed Job for which an ordinary Job waits', () => {
  it('causes the resumption of the ordinary Job only when the placed Job has succeeded (J-12.6)', async () => {
    const manifest = jobManifest(
      'load',
      { managedBy: 'jobledger.dev/job-controller', suspend: true },
      { command: ['true'] },
    ) as { metadata: object };
    await team.client.request<Job>({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/team/jobs',
      body: {
        ...manifest,
        metadata: { ...manifest.metadata, annotations: { 'jobledger.dev/after': 'extract=Succeeded' } },
      },
    });
    const extract = await createPlaced(team, { name: 'extract', command: 'sleep 5' });
    await placedJob(team, 'extract', 'runs', ({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'Placed'),
    );
    expect((await team.job('load'))?.spec.suspend).toBe(true);
    const load = await team.finished('load', 60);
    const done = await placedJob(team, 'extract', 'is complete', isComplete);
    expect(done.metadata.uid).toBe(extract.metadata.uid);
    expect(Date.parse(load.status?.startTime ?? '')).toBeGreaterThanOrEqual(
      Date.parse(done.status?.completionTime ?? ''),
    );
    expect(await verifyAll(installation)).toMatchObject({ findings: [], exitCode: 0 });
  }, 120_000);
});
