import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeEvent, keyOf } from '../../services/adapters/events/event-codec.ts';
import { decodeJobEvent } from '../support/decode-job-event.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { isOfCronJob, isOfPlacedJob, type LedgerEvent } from '../../workflows/ledger-event.ts';
import type { PlacementEvent } from '../../workflows/placement/events.ts';

/** The folder of what an earlier version wrote (test/baseline/record.ts), named by the commit of that version. */
export function baselineFile(version: string, name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, version, name)));
}

/** The records of its ledger as they are, partition by partition. */
export function recordsOf(version: string): string[] {
  return linesOf(version, 'ledger.ndjson.gz');
}

function linesOf(version: string, name: string): string[] {
  return baselineFile(version, name).toString().trimEnd().split('\n');
}

/** The streams of Jobs in its ledger, and of its clusters, by key. */
export function streamsOf(version: string): Map<string, JobEvent[]> {
  return byKey(recordsOf(version).map((record) => decodeJobEvent(record)));
}

/** The streams of CronJobs in its ledger, by key; of a version that has CronJobs. */
export function cronStreamsOf(version: string): Map<string, CronJobEvent[]> {
  const records = linesOf(version, 'cron-jobs.ndjson.gz');
  return byKey(records.map((record) => decodeEvent(record)).filter(isOfCronJob));
}

/** The streams of placed Jobs that it wrote on three clusters, by key; of a version that places Jobs. */
export function placedStreamsOf(version: string): Map<string, PlacementEvent[]> {
  const records = linesOf(version, 'placed-jobs.ndjson.gz');
  return byKey(records.map((record) => decodeEvent(record)).filter(isOfPlacedJob));
}

function byKey<E extends LedgerEvent>(events: readonly E[]): Map<string, E[]> {
  const streams = new Map<string, E[]>();
  for (const event of events) {
    const stream = streams.get(keyOf(event));
    if (stream === undefined) streams.set(keyOf(event), [event]);
    else stream.push(event);
  }
  return streams;
}
