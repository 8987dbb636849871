import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { waitForNamespace } from '../../services/adapters/temporal/namespace.ts';
import { startTemporal, type ATemporal } from '../support/a-temporal.ts';
import { eventually } from '../support/eventually.ts';

let temporal: ATemporal;

beforeAll(async () => {
  temporal = await startTemporal();
}, 120_000);
afterAll(() => temporal?.stop(), 60_000);

describe('a missing namespace of Temporal', () => {
  it('makes a service wait and log once the command that creates it, and later log that its retention is short', async () => {
    const { workflowService } = temporal.client;
    const namespace = `missing-${process.pid}-${Date.now()}`;
    const config = { ...temporal.config, TEMPORAL_NAMESPACE: namespace };
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line) as never) });
    const { signal } = new AbortController();
    const waiting = waitForNamespace(workflowService, config, { log, signal });
    await eventually('three attempts have failed', 30, () =>
      Promise.resolve(lines.length >= 3 ? true : undefined),
    );
    const loud = (): unknown[] => lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg);
    expect(loud()).toEqual([
      `Temporal at ${config.TEMPORAL_ADDRESS} has no namespace "${namespace}"; run temporal operator namespace create --address ${config.TEMPORAL_ADDRESS} --namespace ${namespace} --retention 72h, or set TEMPORAL_NAMESPACE; waiting for it`,
    ]);
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 7200 as never },
    });
    await waiting;
    expect(loud().slice(1)).toEqual([
      `Temporal deletes the history of a run 2 h after its end, before you can examine a failed run; run temporal operator namespace update --address ${config.TEMPORAL_ADDRESS} --namespace ${namespace} --retention 72h`,
    ]);
  }, 120_000);
});
