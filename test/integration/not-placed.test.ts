import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { recordFeatureLevel } from '../../services/contracts/feature-level.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../support/cluster.ts';
import { jobManifest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { createPlaced, isComplete, placedJob } from '../support/placed-jobs.ts';
import { jobledger } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';

// Goal: a placed Job that nothing places says so to its author and to the operator. Method: the installation begins at feature
// level 10, as after an upgrade that is not finished, and reaches level 11. Only the namespace `team` may use a cluster.

let installation: Installation;
let team: TestCluster;

beforeAll(async () => {
  const allow = [{ home: 'local', namespaces: ['team'] }];
  const JOBLEDGER_PLACEMENT = JSON.stringify({ clusters: [{ name: 'local', allow }] });
  installation = await install({ environment: { JOBLEDGER_PLACEMENT } });
  const kafka = connectKafka(readConfig(kafkaEnvironment, installation.environment), silentLog());
  await ensureTopics(kafka, new AbortController().signal);
  await recordFeatureLevel(kafka, 10);
  await installation.startServices();
  team = await installation.cluster.inNewNamespace('team');
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** The message of the first Event with the reason on the Job. */
function told(job: Job, reason: string, cluster = installation.cluster): Promise<string> {
  return eventually(`${job.metadata.name} is told ${reason}`, 60, async () => {
    const found = (await cluster.eventsOn(job)).find((each) => each.startsWith(`${reason}: `));
    return found?.slice(reason.length + 2);
  });
}

/** Resolves when the log of the service has these words. */
function logged(service: string, words: string): Promise<true> {
  return eventually(`${service} logs "${words}"`, 60, () =>
    Promise.resolve(
      readFileSync(join(installation.stateDir, 'logs', `${service}.log`), 'utf8').includes(words)
        ? (true as const)
        : undefined,
    ),
  );
}

describe('below feature level 11', () => {
  it('a placed Job waits, and an Event tells its author, a line of the log the operator (J-16.1)', async () => {
    const job = await createPlaced(installation.cluster, { name: 'early' });
    expect(await told(job, 'NotPlaced')).toBe(
      'placed Jobs begin at feature level 11, and this installation is at 10: nothing runs this Job until the operator has run "jobledger upgrade --finalize" and restarted the ingesters',
    );
    await logged(
      'ingester',
      'default/early is a placed Job, which belongs to no controller below feature level 11, and this installation is at 10: run \\"jobledger upgrade --finalize\\", then restart the ingesters',
    );
    expect((await installation.cluster.job('early'))?.status?.conditions).toBeUndefined();
  }, 120_000);

  it('until the ingester is restarted, its log says what is missing', async () => {
    const { exitCode, stderr } = await jobledger(installation.environment, 'upgrade', '--finalize');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    await eventually('the ingester has read the level', 60, async () => {
      const annotations = { touched: String(Date.now()) };
      await installation.cluster.patchJob('early', { metadata: { annotations } });
      return readFileSync(join(installation.stateDir, 'logs', 'ingester.log'), 'utf8').includes(
        'reached feature level 11 after this ingester had started: restart it',
      )
        ? true
        : undefined;
    });
  }, 120_000);
});

describe('at feature level 11', () => {
  it('the same Job is decided about; where the operator allows nothing, an Event and the condition say so (J-16.4)', async () => {
    const { uid, resourceVersion } = (await installation.cluster.job('early'))?.metadata ?? {};
    // Nothing happens to it afterwards: what makes it a placed Job is the new ingester alone.
    await eventually('its last version is recorded, as that of any Job', 60, async () => {
      const id = `local/job/${uid}/${resourceVersion}`;
      const [event] = await installation.sql('select id from jobledger.events where id = $1', [id]);
      return event;
    });
    await installation.haltServices(['ingester']);
    await installation.startServices(['ingester']);
    const job = await placedJob(installation.cluster, 'early', 'says where it is', ({ status }) =>
      (status?.conditions ?? []).some(({ type }) => type === 'jobledger.dev/Placed'),
    );
    const words = 'the operator allows no cluster for Jobs of this namespace';
    expect(job.status?.conditions).toMatchObject([
      { type: 'jobledger.dev/Placed', status: 'False', reason: 'NotPlaced', message: words },
    ]);
    expect(await told(job, 'NoCluster')).toBe(words);
  }, 120_000);

  it('a placed Job that should wait for others says that it cannot, suspended or not (J-16.2)', async () => {
    const annotations = { after: 'other' };
    const waits = await createPlaced(team, { name: 'waits', annotations, spec: { suspend: true } });
    const runs = await createPlaced(team, { name: 'runs', annotations });
    const words = 'a placed Job cannot wait for other Jobs: jobledger.dev/after has no effect';
    expect(await told(runs, 'InvalidAnnotation', team)).toBe(words);
    expect(await told(waits, 'InvalidAnnotation', team)).toBe(
      `${words}, and the Job stays suspended until somebody resumes it`,
    );
    await placedJob(team, 'runs', 'is complete', isComplete);
    const events = await team.eventsOn(runs);
    expect(events.filter((each) => each.startsWith('InvalidAnnotation'))).toHaveLength(1);
  }, 120_000);

  it('an ordinary Job that waits for a placed Job is resumed when that has succeeded (J-12.6)', async () => {
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
