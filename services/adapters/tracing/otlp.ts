import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { Context, Link } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { randomBytes } from 'node:crypto';
import type { Log } from '../process/log.ts';
import { VERSION } from '../process/package-dir.ts';
import { toSpanId, toTraceId, type TracedStream } from './ids.ts';
import type { JobSpan, RecordSpan } from './span.ts';

const KINDS: Record<JobSpan['kind'], SpanKind> = {
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** The maximum number of links of a span. */
const MAX_LINKS = 100;

export interface ExporterOptions {
  service: string;
  log: Log;
  /** The fraction of traces to send, from 0 to 1; every service sends the same traces. */
  ratio: number;
  /** The longest delay before a span is sent, in milliseconds. */
  delayMs: number;
  /** The maximum number of unsent spans; further spans are dropped. */
  queued: number;
}

/** Sends spans by OTLP over HTTP, in batches. */
export function createExporter({ service, log, ratio, delayMs, queued }: ExporterOptions): {
  record: RecordSpan;
  close: () => Promise<void>;
} {
  diag.setLogger(diagnosticLogger(log), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const next = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `jobledger-${service}`, 'service.version': VERSION }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: delayMs,
        maxQueueSize: queued,
      }),
    ],
  });
  const tracer = provider.getTracer('jobledger', VERSION);
  return {
    record({ stream, name, kind, of, parent, links = [], start, end, attributes = {}, error }) {
      next.traceId = toTraceId(stream);
      next.spanId = of === undefined ? randomBytes(8).toString('hex') : toSpanId(of);
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          startTime: start,
          attributes: { 'jobledger.cluster': stream.cluster, 'jobledger.uid': stream.uid, ...attributes },
          links: links.slice(0, MAX_LINKS).map((id) => linkTo(stream, id)),
          root: parent === null,
        },
        parent === null ? ROOT_CONTEXT : contextIn(stream, parent),
      );
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(Math.max(start, end));
    },
    close: () => provider.shutdown(),
  };
}

function linkTo(stream: TracedStream, id: string): Link {
  return { context: spanContext(stream, id) };
}

function contextIn(stream: TracedStream, parent: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContext(stream, parent));
}

function spanContext(stream: TracedStream, id: string): Link['context'] {
  return { traceId: toTraceId(stream), spanId: toSpanId(id), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function diagnosticLogger(log: Log): Parameters<typeof diag.setLogger>[0] {
  const ignore = (): void => undefined;
  const error = (text: string): void => log.warn({ error: text.slice(0, 300) }, 'traces cannot be sent');
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}
