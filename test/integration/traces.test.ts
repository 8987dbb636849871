import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toSpanId, toTraceId } from '../../services/adapters/tracing/ids.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../support/trace-receiver.ts';

const SECRET = 'hunter2-in-everything';

let collector: TraceReceiver;
let installation: Installation;
let spans: ReceivedSpan[];
let uid: string;

beforeAll(async () => {
  collector = await startTraceReceiver();
  installation = await install({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  await installation.startServices();
  const { cluster } = installation;
  await cluster.createJob('traced', {}, { command: ['true', SECRET] });
  await cluster.createJob('other', {}, {});
  uid = (await cluster.finished('traced')).metadata.uid;
  const trace = toTraceId({ cluster: 'local', uid });
  // Each service sends its spans at another time.
  await eventually('the trace is whole', 60, async () => {
    const rows = await installation.sql<{ id: string; ended: boolean }>(
      `select id, kubectl_status = 'Complete' as ended from jobledger.events e join jobledger.jobs j on j.uid = e.job_uid where job_uid = '${uid}'`,
    );
    spans = collector.spans.filter(({ traceId }) => traceId === trace);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const areRecorded = rows.every(({ id }) => ids.has(toSpanId(id)) && childSpans(toSpanId(id)).length > 0);
    return rows[0]?.ended === true && areRecorded ? true : undefined;
  });
}, 240_000);
afterAll(async () => {
  await installation?.stop();
  await collector?.close();
}, 60_000);

function childSpans(id: string): ReceivedSpan[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === id);
}

function parentSpan({ parentSpanId }: ReceivedSpan): ReceivedSpan | undefined {
  return spans.find(({ spanId }) => spanId === parentSpanId);
}

/** Returns the names from a span up to the root. */
function ancestry(span: ReceivedSpan | undefined): string[] {
  return span === undefined ? [] : [span.name, ...ancestry(parentSpan(span))];
}

describe('the trace of a Job', () => {
  it('has a span for every step from an observation to its row, sent by the service that carries out the step', () => {
    const steps = new Set(spans.map(({ service, name }) => `${service.replace('jobledger-', '')}: ${name}`));
    expect([...steps]).toEqual(
      expect.arrayContaining([
        'ingester: Job default/traced',
        'ingester: job.observed',
        'ingester: pod.observed',
        'dispatcher: signal',
        'worker: decision 1',
        'worker: append decision',
        'worker: CreatePods',
        'worker: POST pods',
        'worker: append outcome',
        'worker: WriteStatus',
        'worker: ReleasePods',
        'projector: rows of job.observed',
        'projector: rows of job.decided',
        'projector: rows of outcome.recorded',
      ]),
    );
  });

  it('leads from a request to the API server back to the observation that caused it', () => {
    const line = ancestry(spans.find(({ name }) => name === 'POST pods'));
    expect(line).toEqual(['POST pods', 'CreatePods', 'decision 1', 'job.observed', 'Job default/traced']);
    const rows = ancestry(spans.find(({ name }) => name === 'rows of outcome.recorded'));
    expect(rows.slice(0, 2)).toEqual(['rows of outcome.recorded', 'append outcome']);
    expect(rows.at(-1)).toBe('Job default/traced');
  });

  it('has one root, and every other span has a parent, and every link a target, in the trace', () => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.map(({ name }) => name)).toEqual(['Job default/traced']);
    const lost = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
    expect(lost.map(({ name }) => name)).toEqual([]);
    const links = spans.flatMap((span) => span.links ?? []);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ spanId }) => !ids.has(spanId))).toEqual([]);
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans)
      expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
  });

  it('has a span for each decision, whose id is computed from the id of the decision', async () => {
    const decisions = await installation.sql<{ id: string; number: number }>(
      `select id, number from jobledger.decisions where job_uid = '${uid}' and not superseded`,
    );
    expect(decisions.length).toBeGreaterThan(1);
    for (const { id, number } of decisions)
      expect(spans.find(({ spanId }) => spanId === toSpanId(id))?.name).toBe(`decision ${number}`);
  });

  it('contains no span of another Job, and no secret', () => {
    expect(collector.spans.length).toBeGreaterThan(spans.length);
    const attributes = spans.flatMap((span) => span.attributes);
    const uids = attributes
      .filter(({ key }) => key === 'jobledger.uid')
      .map(({ value }) => value.stringValue);
    expect(new Set(uids)).toEqual(new Set([uid]));
    expect(collector.bodies.join('')).toContain('default/traced');
    expect(collector.bodies.join('')).not.toContain(SECRET);
  });
});
