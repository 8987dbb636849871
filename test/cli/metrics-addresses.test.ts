import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricsAddresses } from '../../cli/verbs/up/metrics-addresses.ts';
import { readyLine } from '../../cli/verbs/up/lines.ts';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';

const dir = mkdtempSync(join(tmpdir(), 'jobledger-metrics-'));
const state = { at: (...parts: string[]) => join(dir, ...parts) };
afterAll(() => rmSync(dir, { recursive: true }));

describe('the metrics addresses of the services that `up` starts', () => {
  it('are loopback ports, which stay the same at the next start', async () => {
    const addresses = await metricsAddresses(undefined, state);
    expect(Object.keys(addresses)).toEqual([...SERVICES]);
    expect(new Set(Object.values(addresses)).size).toBe(SERVICES.length);
    for (const address of Object.values(addresses)) expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await metricsAddresses('', state)).toEqual(addresses);
  });

  it('are consecutive ports from a given port on', async () => {
    const { ingester, projector } = await metricsAddresses('0.0.0.0:9464', state);
    expect([ingester, projector]).toEqual([
      '0.0.0.0:9464',
      `0.0.0.0:${9464 + SERVICES.indexOf('projector')}`,
    ]);
  });

  it('are absent when metrics are off, and an invalid address is refused', async () => {
    expect(await metricsAddresses('off', state)).toEqual({});
    await expect(metricsAddresses('9464', state)).rejects.toThrow('neither host:port nor off');
  });

  it('are printed when every service is ready', () => {
    const metrics = { ingester: '127.0.0.1:1', worker: '127.0.0.1:2' };
    expect(readyLine({ metrics }, { stateDir: 'none' })).toContain(
      ' metrics=ingester@127.0.0.1:1,worker@127.0.0.1:2',
    );
    expect(readyLine({ metrics: {} }, { stateDir: 'none' })).not.toContain('metrics');
  });
});
