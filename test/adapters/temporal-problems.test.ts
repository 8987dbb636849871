import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { readConfig, temporalEnvironment } from '../../services/adapters/config.ts';
import { reportProblems } from '../../services/adapters/temporal/problems.ts';
import { sdkLogger } from '../../services/adapters/temporal/sdk-logger.ts';

const CONFIG = readConfig(temporalEnvironment, { TEMPORAL_ADDRESS: 't:7233', TEMPORAL_NAMESPACE: 'jobs' });

function collected(): { lines: Record<string, unknown>[]; log: pino.Logger } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line) as never) });
  return { lines, log };
}

describe('a request that Temporal refuses', () => {
  it('is reported once in ten minutes, with advice, when the reason is a rate limit', () => {
    const { lines, log } = collected();
    let now = 0;
    const report = reportProblems(CONFIG, log, () => now);
    const status = { code: 8, details: 'namespace rate limit exceeded' };
    for (; now < 600_000; now += 1000) report(status);
    expect(lines).toMatchObject([
      {
        temporal: 'namespace rate limit exceeded',
        msg: expect.stringContaining('limits the requests of the namespace "jobs"') as unknown,
      },
    ]);
    expect(lines[0]?.['msg']).toContain('raise frontend.namespaceRPS');
    report(status);
    expect(lines).toHaveLength(2);
  });

  it('is not reported as a rate limit when the reason is that the run is about to end', () => {
    const { lines, log } = collected();
    const details = 'workflow operation can not be applied because workflow is closing';
    reportProblems(CONFIG, log)({ code: 8, details });
    expect(lines).toEqual([]);
  });

  it('is reported with the command to create the namespace when the namespace is missing, and is not reported when the workflow is missing', () => {
    const { lines, log } = collected();
    const report = reportProblems(CONFIG, log);
    report({ code: 5, details: 'workflow not found for ID: east/a' });
    report({ code: 14, details: 'unavailable' });
    report({ code: 5, details: 'Namespace jobs is not found.' });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Temporal at t:7233 has no namespace "jobs"; run temporal operator namespace create --address t:7233 --namespace jobs --retention 72h, or set TEMPORAL_NAMESPACE',
    ]);
  });
});

describe('a log message of the SDK', () => {
  it('is logged in the log format of Jobledger, and once a minute at most', () => {
    const { lines, log } = collected();
    let now = 0;
    const logger = sdkLogger(log, () => now);
    for (; now < 60_000; now += 1000) logger.warn('gRPC call failed', { error: new Error('no route') });
    logger.info('polling');
    expect(lines).toMatchObject([
      { temporal: 'gRPC call failed', error: 'no route', msg: 'temporal worker' },
    ]);
    logger.warn('gRPC call failed', { error: new Error('no route') });
    expect(lines).toHaveLength(2);
  });
});
