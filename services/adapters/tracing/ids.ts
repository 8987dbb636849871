import { createHash } from 'node:crypto';

/** The stream of a Job or CronJob. */
export interface TracedStream {
  cluster: string;
  uid: string;
}

/** The id of a Job in the ledger, which the root span represents. */
export function streamKey({ cluster, uid }: TracedStream): string {
  return `${cluster}/${uid}`;
}

/**
 * The trace of a Job. Trace ids are derived from ids in the ledger, so that every process can compute them
 * (docs/decisions/0066-traces-by-ids-of-the-ledger.md).
 */
export function toTraceId(stream: TracedStream): string {
  return sha256(streamKey(stream)).slice(0, 32);
}

/** The id of the span for an event, a command or the Job, derived from its id in the ledger. */
export function toSpanId(id: string): string {
  return sha256(id).slice(0, 16);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
