import { z } from 'zod';
import type { Log } from '../process/log.ts';
import type { Shutdown } from '../process/shutdown.ts';
import type { RecordSpan } from './span.ts';

/** The destination of spans; without an address, tracing is off. The exporter reads the other variables of OTLP itself. */
export const tracingEnvironment = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(1).default(5000),
  OTEL_BSP_MAX_QUEUE_SIZE: z.coerce.number().int().min(512).default(2048),
});

/** Creates the exporter; returns null, and does not load the libraries, when tracing is off. */
export async function openTracing(
  {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    ...config
  }: z.infer<typeof tracingEnvironment>,
  { service, log, shutdown }: { service: string; log: Log; shutdown: Shutdown },
): Promise<RecordSpan | null> {
  if ((OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT) === undefined) return null;
  const { createExporter } = await import('./otlp.ts');
  const exporter = createExporter({
    service,
    log,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    queued: config.OTEL_BSP_MAX_QUEUE_SIZE,
  });
  shutdown.onClose('traces', exporter.close);
  return exporter.record;
}
