import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { traceAppended } from '../../services/adapters/tracing/event-spans.ts';
import { withPurpose, tracedClient } from '../../services/adapters/tracing/traced-client.ts';
import type { JobSpan } from '../../services/adapters/tracing/span.ts';
import { tracedSignal } from '../../services/dispatcher/sending/traced-signal.ts';
import { traceRows } from '../../services/projector/trace-rows.ts';
import { aJob, jobObserved } from '../projector/builders.ts';

const STREAM = { cluster: 'east', uid: 'job-1' };

function recorded(): { spans: JobSpan[]; record: (span: JobSpan) => void } {
  const spans: JobSpan[] = [];
  return { spans, record: (span) => void spans.push(span) };
}

describe('the spans of observed versions', () => {
  it('have as parent the span of the Job, which begins only with the first version of the Job', () => {
    const { spans, record } = recorded();
    const first = jobObserved(1, aJob({ version: 5 }));
    const later = jobObserved(2, aJob({ version: 6, status: { active: 1 } }));
    traceAppended(record)([first, later]);
    expect(spans).toMatchObject([
      { stream: STREAM, name: 'Job default/pi', of: 'east/job-1', parent: null },
      { stream: STREAM, name: 'job.observed', of: first.id, parent: 'east/job-1' },
      { stream: STREAM, name: 'job.observed', of: later.id, parent: 'east/job-1' },
    ]);
  });
});

describe('the span of a signal to a workflow', () => {
  it('has the oldest fact as its parent and links to the other facts, and shows a failure', async () => {
    const { spans, record } = recorded();
    const facts = ['a', 'b', 'c'].map((id) => ({
      id,
      digest: '',
      type: 'job.deleted' as const,
      resourceVersion: '1',
    }));
    const job = { ...STREAM, namespace: 'default', name: 'pi', kind: 'Job' as const };
    const options = { recall: false, start: true };
    await tracedSignal(() => Promise.resolve(), record)(job, facts, options);
    const failing = tracedSignal(() => Promise.reject(new Error('Temporal is down')), record);
    await expect(failing(job, [], options)).rejects.toThrow('Temporal is down');
    expect(spans).toMatchObject([
      { name: 'signal', parent: 'a', links: ['b', 'c'] },
      { name: 'signal', parent: 'east/job-1', links: [], error: 'Temporal is down' },
    ]);
  });
});

describe('the spans of requests to a cluster', () => {
  it('belong to the command that caused the requests, and contain no query string', async () => {
    const { spans, record } = recorded();
    const client: KubernetesClient = {
      cluster: 'east',
      request: <T>({ method }: { method: string }) =>
        method === 'GET'
          ? Promise.resolve({} as T)
          : Promise.reject(new KubernetesApiError({ status: 409, reason: '', message: '', causes: [] })),
      stream: () => Promise.reject(new Error('no streams')),
    };
    const traced = tracedClient(client, record);
    const path = '/apis/batch/v1/namespaces/default/jobs/pi?fieldManager=x';
    await traced.request({ method: 'GET', path });
    expect(spans).toEqual([]);
    await withPurpose({ stream: STREAM, id: 'decision#0' }, async () => {
      await traced.request({ method: 'GET', path });
      await traced.request({ method: 'PUT', path }).catch(() => undefined);
    });
    const attributes = { 'url.path': '/apis/batch/v1/namespaces/default/jobs/pi' };
    expect(spans).toMatchObject([
      { name: 'GET jobs', parent: 'decision#0', attributes: { ...attributes, 'http.request.method': 'GET' } },
      { name: 'PUT jobs', parent: 'decision#0', attributes, error: 'status 409' },
    ]);
  });
});

describe('the spans of rows in the tables', () => {
  it('are recorded for new events only, not for a ledger that is read again', () => {
    const { spans, record } = recorded();
    const old = jobObserved(1, aJob({ version: 5 }));
    const young = { ...old, id: 'young', time: new Date().toISOString() };
    traceRows(record)([old, young], Date.now());
    expect(spans).toMatchObject([{ name: 'rows of job.observed', parent: 'young' }]);
  });
});

describe('a service without an address for traces', () => {
  /** The modules of OpenTelemetry that a process loads which opens everything that traces. */
  async function libraries(endpoint: string | null): Promise<string[]> {
    const list = join(mkdtempSync(join(tmpdir(), 'jobledger-modules-')), 'list');
    const files = [
      'adapters/tracing/event-spans',
      'adapters/tracing/traced-client',
      'worker/activities/trace-commands',
      'dispatcher/sending/traced-signal',
      'projector/trace-rows',
    ].map((file) => `await import('./services/${file}.ts');`);
    const program = `${files.join('')}
      const { openTracing, tracingEnvironment } = await import('./services/adapters/tracing/tracing.ts');
      const shutdown = { onClose: () => undefined };
      const record = await openTracing(tracingEnvironment.parse(process.env), { service: 'test', log: { warn: () => undefined }, shutdown });
      console.log(record === null ? 'off' : 'on');
      process.exit();`;
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      LIST_MODULES: list,
      ...(endpoint !== null && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
    };
    const options = ['--import', './test/support/list-modules.mjs', '--input-type=module'];
    const { stdout } = await promisify(execFile)(process.execPath, [...options, '-e', program], { env });
    const loaded = readFileSync(list, 'utf8').split('\n');
    expect(stdout.trim()).toBe(endpoint === null ? 'off' : 'on');
    return loaded.filter((each) => each.includes('/node_modules/@opentelemetry/'));
  }

  it('records no spans, and loads no tracing library', async () => {
    expect(await libraries(null)).toEqual([]);
    expect((await libraries('http://127.0.0.1:9')).length).toBeGreaterThan(10);
  }, 60_000);
});
