import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { failureError, SERVICES, servicesTogether } from '../../cli/verbs/up/service-children.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';

jest.setTimeout(180_000);

/** The pause is longer than a worker may stand still. */
const PAUSE_MS = 6000;

let installation: Installation;

beforeAll(async () => {
  installation = await install({ api: true });
  await installation.startServices();
});
afterAll(() => installation?.stop());

function readLog(name: string): string {
  return readFileSync(join(installation.stateDir, 'logs', `${name}.log`), 'utf8');
}

/** Returns how often a service has reported that it is ready. */
function timesReady(name: string): number {
  return readLog(name)
    .split('\n')
    .filter((line) => line.includes('"msg":"ready"')).length;
}

async function completes(name: string): Promise<void> {
  await installation.cluster.createJob(name, {}, { command: ['true'] });
  const { status } = await installation.cluster.finished(name);
  expect(status).toMatchObject({ succeeded: 1 });
}

describe('the services that run in one process', () => {
  it('run a Job, and each service has its own log and metrics', async () => {
    await completes('first');
    for (const name of SERVICES) {
      expect(timesReady(name)).toBe(1);
      const metrics = await (await fetch(`http://${installation.metrics[name]}/metrics`)).text();
      expect(metrics).toContain('jobledger_');
    }
  });

  it('continue after the process was suspended, and only the worker is started again', async () => {
    const pid = installation.services.pid('services') ?? 0;
    process.kill(pid, 'SIGSTOP');
    const since = performance.now();
    await eventually('the pause is over', 30, async () =>
      performance.now() - since > PAUSE_MS ? true : undefined,
    );
    process.kill(pid, 'SIGCONT');
    await eventually('the worker is ready again', 60, async () =>
      timesReady('worker') === 2 ? true : undefined,
    );
    expect(readLog('services')).toContain('the service worker ended with status 1 and is being restarted');
    await completes('second');
    expect(installation.services.pid('services')).toBe(pid);
    expect(SERVICES.map((name) => [name, timesReady(name)])).toEqual(
      SERVICES.map((name) => [name, name === 'worker' ? 2 : 1]),
    );
    const metrics = await (await fetch(`http://${installation.metrics['worker']}/metrics`)).text();
    expect(metrics).toContain('temporal_');
  });

  it('end together when one of them refuses its configuration, and the last line gives the reason', async () => {
    const logsDir = join(installation.stateDir, 'refused');
    const supervisor = createSupervisor({
      runDir: join(logsDir, 'run'),
      logsDir,
      report: () => undefined,
    });
    const environment = { ...installation.environment, JOBLEDGER_AUDIT_INTERVAL_MS: 'often' };
    const spec = servicesTogether(environment, { names: ['ingester', 'projector'], logsDir });
    await expect(supervisor.start(spec)).rejects.toThrow('services cannot run with this configuration');
    const failure = await supervisor.failed;
    await supervisor.stop();
    const error = failureError(failure);
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain(
      'ingester: the configuration is not usable:\n  JOBLEDGER_AUDIT_INTERVAL_MS',
    );
  });
});
