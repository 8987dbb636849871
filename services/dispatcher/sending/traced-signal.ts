import { errorMessage } from '../../adapters/errors.ts';
import { streamKey } from '../../adapters/tracing/ids.ts';
import type { RecordSpan } from '../../adapters/tracing/span.ts';
import type { Signal } from './send.ts';

/**
 * Wraps a signal function so that each signal is recorded as a span. The parent of the span is the oldest fact of the
 * signal, and the other facts are links.
 */
export function tracedSignal(signal: Signal, record: RecordSpan): Signal {
  return async (job, facts, options) => {
    const start = Date.now();
    const stream = { cluster: job.cluster, uid: job.uid };
    const [oldest = streamKey(stream), ...links] = facts.map(({ id }) => id);
    const recordSignal = (error?: string): void =>
      record({
        stream,
        name: 'signal',
        kind: 'client',
        parent: oldest,
        links,
        start,
        end: Date.now(),
        attributes: { 'jobledger.facts': facts.length },
        ...(error !== undefined && { error }),
      });
    try {
      await signal(job, facts, options);
      recordSignal();
    } catch (error) {
      recordSignal(errorMessage(error));
      throw error;
    }
  };
}
