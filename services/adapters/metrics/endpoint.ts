import http from 'node:http';
import { z } from 'zod';
import { parseHostPort, addressText, type Address } from '../network/address.ts';
import { InputError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { Shutdown } from '../process/shutdown.ts';
import { VERSION } from '../process/package-dir.ts';
import { createMetrics, type Metrics } from './metrics.ts';

/** The address of a service's metrics; port 0 takes a free port. */
export const metricsEnvironment = z.object({
  JOBLEDGER_METRICS_ADDRESS: z
    .string()
    .default('127.0.0.1:0')
    .transform((text, context): Address | null => {
      if (text === 'off') return null;
      const address = parseHostPort(text);
      if (address !== null) return address;
      context.addIssue({ code: 'custom', message: 'give host:port, or off' });
      return z.NEVER;
    }),
});

/**
 * Serves the metrics of this process on `/metrics` until the process ends; `/healthz` responds 200 as long as the
 * process runs.
 */
export async function openMetrics(
  { JOBLEDGER_METRICS_ADDRESS: address }: z.infer<typeof metricsEnvironment>,
  { log, shutdown }: { log: Log; shutdown: Shutdown },
): Promise<Metrics> {
  const metrics = createMetrics();
  showBuild(metrics);
  if (address === null) return metrics;
  const server = http.createServer((request, response) => void respond(metrics, request, response));
  const { port } = await listen(server, address);
  shutdown.onClose('metrics', () => {
    server.close();
    server.closeAllConnections();
  });
  log.info({ metrics: addressText({ ...address, port }) }, 'serving metrics');
  return metrics;
}

function showBuild(metrics: Metrics): void {
  metrics.gauge(
    {
      name: 'jobledger_build_info',
      help: 'The value is always 1; the labels contain the running version.',
      labels: ['version', 'node_version'],
    },
    () => [{ labels: { version: VERSION, node_version: process.version }, value: 1 }],
  );
}

function listen(server: http.Server, address: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const problem = `JOBLEDGER_METRICS_ADDRESS: ${addressText(address)} cannot listen on this address; set another, or off`;
      reject(new InputError(problem, { cause }));
    });
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      resolve({ ...address, ...(typeof bound === 'object' && bound !== null && { port: bound.port }) });
    });
  });
}

async function respond(
  metrics: Metrics,
  { method, url = '' }: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const path = url.replace(/\?.*/s, '');
  if (path !== '/metrics' && path !== '/healthz')
    return sendText(response, 404, 'not found; try /metrics or /healthz\n');
  if (method !== 'GET' && method !== 'HEAD') return sendText(response, 405, 'GET only\n');
  if (path === '/healthz') return sendText(response, 200, 'ok\n');
  try {
    const text = await metrics.text();
    response.setHeader('content-type', metrics.contentType);
    sendText(response, 200, text);
  } catch {
    sendText(response, 500, 'the metrics cannot be collected\n');
  }
}

function sendText(response: http.ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}
