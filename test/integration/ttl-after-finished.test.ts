import type { OutcomeRecorded, JobDecided } from '../../workflows/job/events.ts';
import { BUILT_IN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install({
    separate: true,
    ownServers: true,
    clusters: [{ name: 'local', audit: true, builtInTtlController: false }],
    environment: { JOBLEDGER_CONTROLLERS: 'job,ttl' },
  });
  await installation.startServices();
}, 120_000);

afterAll(() => installation?.stop(), 30_000);

const done = { command: ['true'] };

/** Resolves when the Job is deleted, with the milliseconds from its end to its deletion in the audit log. */
async function goneAfter(job: Job, seconds: number): Promise<number> {
  const { name } = job.metadata;
  await eventually(`Job ${name} is deleted`, seconds, async () =>
    (await installation.cluster.job(name)) === undefined ? true : undefined,
  );
  const deletion = installation
    .audit()
    .find(
      ({ verb, objectRef, user }) =>
        verb === 'delete' &&
        objectRef?.resource === 'jobs' &&
        objectRef.name === name &&
        user.username.includes('jobledger'),
    );
  return Date.parse(deletion?.requestReceivedTimestamp ?? '') - endTime(job);
}

function endTime({ status }: Job): number {
  const end = status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  return Date.parse(end?.lastTransitionTime ?? '');
}

/** Returns the decisions that delete the Job, with their outcomes. */
async function readDeletions(name: string): Promise<{ decided: JobDecided['data']; answered: unknown }[]> {
  const decisions = await installation.sql<{ data: JobDecided['data']; id: string }>(
    `select id, data from jobledger.events where job_name = $1 and type = 'job.decided' and data->'commands' @> '[{"kind":"DeleteJob"}]'`,
    [name],
  );
  const answers = await installation.sql<{ data: OutcomeRecorded['data'] }>(
    `select data from jobledger.events where job_name = $1 and type = 'outcome.recorded' and data->'outcome'->>'kind' = 'DeleteJob'`,
    [name],
  );
  return decisions.map(({ id, data }) => ({
    decided: data,
    answered: answers.find((outcome) => outcome.data.decision === id)?.data.outcome,
  }));
}

describe('the field ttlSecondsAfterFinished', () => {
  it('causes the deletion of the Job and its pods in time, with the reason in SQL and no Event (J-10.2, J-10.3, J-10.5, J-7.5)', async () => {
    const { cluster } = installation;
    await cluster.createJob('timed', { ttlSecondsAfterFinished: 3, completions: 2, parallelism: 2 }, done);
    const job = await cluster.finished('timed');
    expect(await goneAfter(job, 20)).toBeGreaterThanOrEqual(3000);
    expect(await cluster.listPods('timed')).toEqual([]);
    const events = await cluster.eventsOn(job);
    expect(events.map((event) => event.replace(/:.*/, ''))).toEqual([
      'SuccessfulCreate',
      'SuccessfulCreate',
      'Completed',
    ]);
    const [deletion] = await eventually('the deletion in SQL', 10, async () => {
      const found = await readDeletions('timed');
      return found[0]?.answered === undefined ? undefined : found;
    });
    expect(deletion?.decided.commands[0]?.why).toEqual({
      rule: 'J-10.3',
      message: '3 s after the Job finished',
    });
    expect(deletion?.decided.settings.controllers).toEqual(['job', 'ttl']);
    expect(deletion?.answered).toMatchObject({ kind: 'DeleteJob', result: 'done', job: { deleting: true } });
    const waited = await installation.sql<{ rule: string }>(
      "select waiting_rule as rule from jobledger.decisions where job_name = 'timed' and waiting_rule = 'J-10.2' and not superseded",
    );
    expect(waited).toHaveLength(1);
  });

  it('takes effect at once when it is changed to 0 after the end of the Job (J-10.4)', async () => {
    const { cluster } = installation;
    // The API accepts no longer time: 68 years.
    await cluster.createJob('patient', { ttlSecondsAfterFinished: 2 ** 31 - 1 }, done);
    const job = await cluster.finished('patient');
    await cluster.patchJob('patient', { spec: { ttlSecondsAfterFinished: 0 } });
    expect(await goneAfter(job, 15)).toBeGreaterThanOrEqual(0);
  });

  it('applies also to a Job of the built-in controller, and the workflow for that Job then ends (J-10.4)', async () => {
    const { cluster } = installation;
    const spec = { managedBy: BUILT_IN_MANAGER, ttlSecondsAfterFinished: 2 };
    await cluster.createJob('foreign', spec, done);
    const job = await cluster.finished('foreign');
    expect(await goneAfter(job, 20)).toBeGreaterThanOrEqual(2000);
    const commands = await eventually('what was decided', 20, async () => {
      const found = await installation.sql<{ kind: string }>(
        "select distinct kind from jobledger.commands where job_name = 'foreign'",
      );
      return found.length > 0 ? found : undefined;
    });
    expect(commands).toEqual([{ kind: 'DeleteJob' }]);
    const temporal = await installation.temporal();
    await eventually('its workflow has ended', 10, async () => {
      const workflow = temporal.workflow.getHandle(`local/${job.metadata.uid}`);
      return (await workflow.describe()).status.name === 'COMPLETED' ? true : undefined;
    });
    await temporal.connection.close();
  });

  it('counts from the end of the Job although services are killed and started again after the end (J-10.2)', async () => {
    const { cluster } = installation;
    await cluster.createJob('lasting', { ttlSecondsAfterFinished: 12 }, done);
    const job = await cluster.finished('lasting');
    const parts = ['temporal', 'worker', 'dispatcher', 'ingester'];
    await Promise.all(parts.map((part) => installation.kill(part)));
    await Promise.all(parts.map((part) => installation.answers(part)));
    const restarted = Date.now() - endTime(job);
    const waited = await goneAfter(job, 40);
    expect(waited).toBeGreaterThanOrEqual(12_000);
    expect(waited).toBeLessThan(Math.max(12_000, restarted) + 12_000);
    await eventually('its deletion is in SQL', 30, async () => {
      const found = await installation.sql(
        "select from jobledger.commands where job_name = 'lasting' and kind = 'DeleteJob'",
      );
      return found.length > 0 ? true : undefined;
    });
    // A timer that restarts had reset would end later. The worker sets none when it is back only after the end of the time.
    const armed = await installation.sql<{ at: Date }>(
      "select distinct next_decision_at as at from jobledger.decisions where job_name = 'lasting' and waiting_rule = 'J-10.2'",
    );
    const expected = [{ at: new Date(endTime(job) + 12_000) }];
    expect(armed).toEqual(armed.length === 0 && restarted > 8000 ? [] : expected);
  });
});

describe('the ttl controller', () => {
  it('deletes no Job while it is off, and deletes Jobs that finished before it was switched on (J-10.1)', async () => {
    const { cluster } = installation;
    await cluster.createJob('waiting', { ttlSecondsAfterFinished: 100_000 }, done);
    const job = await cluster.finished('waiting');
    await restartWith('job');
    await cluster.patchJob('waiting', { spec: { ttlSecondsAfterFinished: 1 } });
    const settings = async (): Promise<unknown> => {
      const [last] = await installation.sql<{ settings: { controllers: string[] }; waiting: unknown }>(
        "select data->'settings' as settings, data->'waiting' as waiting from jobledger.events where job_name = 'waiting' and type = 'job.decided' order by (data->>'number')::int desc limit 1",
      );
      return last?.settings.controllers.length === 1 && last.waiting === null ? true : undefined;
    };
    await eventually('it waits for nothing any more', 15, settings);
    expect(await cluster.job('waiting')).toBeDefined();
    await restartWith('job,ttl');
    expect(await goneAfter(job, 20)).toBeGreaterThanOrEqual(1000);
  });

  it('makes only decisions that are the same when they are made again from the ledger', async () => {
    const { findings, decisions } = await verifyAll(installation);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(10);
  });
});

/** The services read their environment when they start. */
async function restartWith(controllers: string): Promise<void> {
  await installation.haltServices(['dispatcher', 'worker']);
  installation.environment['JOBLEDGER_CONTROLLERS'] = controllers;
  await installation.startServices(['dispatcher', 'worker']);
}
