import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { keyOf } from '../../services/adapters/event-codec.ts';
import { decodeJobEvent } from '../support/decode-job-event.ts';
import type { JobEvent } from '../../workflows/job/events.ts';

/** The folder of what an earlier version wrote (test/baseline/record.ts), named by the commit of that version. */
export function baselineFile(version: string, name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, version, name)));
}

/** The records of its ledger as they are, partition by partition. */
export function recordsOf(version: string): string[] {
  return baselineFile(version, 'ledger.ndjson.gz').toString().trimEnd().split('\n');
}

/** The streams of its ledger, by key. */
export function streamsOf(version: string): Map<string, JobEvent[]> {
  const streams = new Map<string, JobEvent[]>();
  for (const record of recordsOf(version)) {
    const event = decodeJobEvent(record);
    const key = keyOf(event);
    streams.set(key, [...(streams.get(key) ?? []), event]);
  }
  return streams;
}
