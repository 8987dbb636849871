import { beforeAll, describe, expect, it } from '@jest/globals';
import { type EncodedEvent } from '../../../services/adapters/events/event-codec.ts';
import { decodeJobEvent } from '../../support/decode-job-event.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { unfoundedDecisions } from '../../support/model-cluster-verify.ts';
import { generateLedger } from './generate.ts';

const EVENTS = 10_000;
const UNTIL = Date.parse('2026-05-06T07:08:09Z');

let ledger: EncodedEvent[];
let events: JobEvent[];

beforeAll(async () => {
  ledger = [...(await generateLedger({ events: EVENTS, until: UNTIL, days: 3, variants: 3 }))];
  events = ledger.map(({ value }) => decodeJobEvent(value));
}, 60_000);

describe('a generated ledger for benchmarks', () => {
  it('has as many events as requested, each event once, in order of time', () => {
    expect(new Set(events.map(({ id }) => id)).size).toBe(EVENTS);
    const times = events.map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
  });

  it('has decisions that re-execute to the same result', () => {
    const streams = new Map<string, JobEvent[]>();
    for (const [at, { key }] of ledger.entries())
      streams.set(key, [...(streams.get(key) ?? []), ...events.slice(at, at + 1)]);
    // A cluster has a stream too, without decisions.
    const ofJobs = [...streams.values()].filter((stream) =>
      stream.some(({ type }) => type === 'job.decided'),
    );
    expect(ofJobs.flatMap(unfoundedDecisions)).toEqual([]);
    expect(events.filter(({ type }) => type === 'job.decided').length).toBeGreaterThan(EVENTS / 20);
  });

  it('has records with the digest of their content', () => {
    expect(events.filter(({ digest, data }) => digest !== computeDigest(data))).toEqual([]);
  });

  it('has every kind of end, requests, gaps, evictions, and Jobs that were deleted during a gap', () => {
    const text = ledger.map(({ value }) => value).join('\n');
    const expected = [
      'CompletionsReached',
      'BackoffLimitExceeded',
      'DeadlineExceeded',
      'PodFailurePolicy',
      'SuccessPolicy',
      'JobSuspended',
      'Evicted',
      'OOMKilled',
      'cluster.gap',
      'request.received',
      '"seen":false',
      '"DeleteJob"',
    ];
    expect(expected.filter((word) => !text.includes(word))).toEqual([]);
  });
});
