import { jest } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesFor, reportWaiting } from '../../cli/verbs/up/report-waiting.ts';
import { eventually } from '../support/eventually.ts';

const logsDir = mkdtempSync(join(tmpdir(), 'jobledger-waiting-'));

afterAll(() => rmSync(logsDir, { recursive: true, force: true }));

describe('the report of `up` about a slow start', () => {
  it('names services with a known reason before other services', () => {
    const reasons = new Map([
      ['ingester', 'Kafka does not answer'],
      ['api', 'over'],
    ]);
    expect(linesFor(['ingester', 'dispatcher', 'worker'], reasons)).toEqual([
      'waiting for ingester: Kafka does not answer',
      'waiting for dispatcher, worker',
    ]);
    expect(linesFor([], reasons)).toEqual([]);
  });

  it('prints errors of a service and the holder of the Lease at once, each only once, and no other lines', async () => {
    const file = join(logsDir, 'ingester.log');
    writeFileSync(file, '{"level":50,"msg":"of the run before"}\n');
    const output: string[] = [];
    const starting = new Map([['ingester', new Promise<void>(() => undefined)]]);
    const stop = reportWaiting(starting, { logsDir, report: (line) => output.push(line) });
    const lines = [
      { level: 30, msg: 'leading' },
      { level: 50, cluster: 'east', error: 'Unauthorized', msg: 'the cluster is refused; trying again' },
      {
        level: 40,
        cluster: 'west',
        holder: 'pod-7',
        msg: 'another ingester is active, so this ingester is on standby',
      },
    ];
    const [, refused] = lines;
    const all = [...lines.slice(0, 2), refused, ...lines.slice(2)];
    appendFileSync(file, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await eventually('both are printed', 5, async () => (output.length >= 2 ? true : undefined));
    stop();
    expect(output).toEqual([
      'ingester: cluster "east": the cluster is refused; trying again: Unauthorized',
      'ingester: cluster "west": another ingester is active, so this ingester is on standby: the Lease is held by pod-7',
    ]);
  });

  it('is repeated at growing intervals, and soon after a change', async () => {
    jest.useFakeTimers();
    try {
      const said: [number, string][] = [];
      const began = performance.now();
      const api = Promise.withResolvers<void>();
      const never = new Promise<void>(() => undefined);
      const stop = reportWaiting(
        new Map([
          ['worker', never],
          ['api', api.promise],
        ]),
        { logsDir, report: (line) => said.push([Math.round((performance.now() - began) / 1000), line]) },
      );
      await jest.advanceTimersByTimeAsync(120_000);
      api.resolve();
      await jest.advanceTimersByTimeAsync(20_000);
      stop();
      expect(said).toEqual([
        [5, 'waiting for worker, api'],
        [20, 'waiting for worker, api'],
        [50, 'waiting for worker, api'],
        [110, 'waiting for worker, api'],
        [121, 'waiting for worker'],
        [136, 'waiting for worker'],
      ]);
    } finally {
      jest.useRealTimers();
    }
  });
});
