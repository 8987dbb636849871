import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { controllersIn, readConfig } from '../../services/adapters/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { metricsEnvironment, openMetrics } from '../../services/adapters/metrics/endpoint.ts';
import type { Metrics } from '../../services/adapters/metrics/metrics.ts';
import { samplesIn } from '../support/metrics.ts';

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Opens it as a service does; `address` is the one in its log. */
async function open(address?: string): Promise<{ metrics: Metrics; address: string | undefined }> {
  const environment = address === undefined ? {} : { JOBLEDGER_METRICS_ADDRESS: address };
  const log = createLog('test');
  const info = jest.spyOn(log, 'info').mockImplementation(() => undefined);
  const shutdown = {
    signal: new AbortController().signal,
    requested: new Promise<void>(() => undefined),
    stop: () => undefined,
    onClose: (_name: string, close: () => void | Promise<void>) => void closers.push(close),
  };
  const metrics = await openMetrics(readConfig(metricsEnvironment, environment), { log, shutdown });
  const [line] = info.mock.calls[0] ?? [];
  return { metrics, address: (line as { metrics: string } | undefined)?.metrics };
}

describe('the metrics endpoint', () => {
  it('listens on a free loopback port, which is logged', async () => {
    const { metrics, address } = await open();
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const count = metrics.counter({ name: 'birds_total', help: 'Birds seen.', labels: ['kind'] });
    count({ kind: 'wren' });
    count({ kind: 'wren' }, 2);
    const answer = await fetch(`http://${address}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const samples = samplesIn(await answer.text());
    expect(samples.get('birds_total{kind="wren"}')).toBe(3);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('answers health checks and requests for metrics, and refuses any other request', async () => {
    const { address } = await open();
    const status = async (path: string, method = 'GET'): Promise<number> =>
      (await fetch(`http://${address}${path}`, { method })).status;
    expect([await status('/healthz'), await status('/'), await status('/metrics', 'POST')]).toEqual([
      200, 404, 405,
    ]);
  });

  it('can be switched off while the service still counts metrics', async () => {
    const { metrics, address } = await open('off');
    expect(address).toBeUndefined();
    expect(await metrics.text()).toContain('process_cpu_seconds_total');
  });

  it('fails with the address and its variable when another process uses the address', async () => {
    const other = http.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    closers.push(() => void other.close());
    const { port } = other.address() as AddressInfo;
    await expect(open(`127.0.0.1:${port}`)).rejects.toThrow(
      `JOBLEDGER_METRICS_ADDRESS: 127.0.0.1:${port} cannot listen on this address`,
    );
  });

  it.each(['9464', 'localhost', 'localhost:99999', 'me:secret@host:80'])(
    'refuses the invalid address %s',
    async (address) => {
      await expect(open(address)).rejects.toThrow('JOBLEDGER_METRICS_ADDRESS: give host:port, or off');
    },
  );
});

describe('the variable JOBLEDGER_CONTROLLERS', () => {
  it('may list the controllers in any order, and more than once', () => {
    expect(controllersIn('cronjob, ttl, job,ttl')).toEqual(['job', 'ttl', 'cronjob']);
  });

  it.each([
    ['job,jobs', 'jobs is not a controller; available: job, ttl, cronjob'],
    [' ,', 'name at least one controller; available: job, ttl, cronjob'],
  ])('may not have the value %j: %s', (text, message) => {
    expect(() => controllersIn(text)).toThrow(message);
  });
});
