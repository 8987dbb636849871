import { describe, expect, it } from '@jest/globals';
import { createStreams } from '../../../services/cli/verify/streams.ts';
import { reportOf } from '../../../services/cli/verify/report.ts';
import { decodeEvent } from '../../../services/adapters/event-codec.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { generateLedger } from './generate.ts';

const EVENTS = 10_000;
const UNTIL = Date.parse('2026-05-06T07:08:09Z');
const ledger = [...generateLedger({ events: EVENTS, until: UNTIL, days: 3, variants: 3 })];
const events: JobEvent[] = ledger.map(({ value }) => decodeEvent(value));

describe('a generated ledger', () => {
  it('holds as many events as asked for, each once, in the order of time', () => {
    expect(new Set(events.map(({ id }) => id)).size).toBe(EVENTS);
    const times = events.map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
  });

  it('holds decisions that re-execute', () => {
    const streams = createStreams(null);
    for (const event of events) streams.add(event);
    const { decisions, findings } = reportOf(streams.chosen(), 0);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(EVENTS / 20);
  });

  it('tells of every kind of end, of requests, gaps, evictions and Jobs that vanished', () => {
    const text = ledger.map(({ value }) => value).join('\n');
    const told = [
      'CompletionsReached',
      'BackoffLimitExceeded',
      'DeadlineExceeded',
      'PodFailurePolicy',
      'SuccessPolicy',
      'JobSuspended',
      'Evicted',
      'OOMKilled',
      'cluster.gap',
      'command.received',
      '"seen":false',
      '"DeleteJob"',
    ];
    expect(told.filter((word) => !text.includes(word))).toEqual([]);
  });
});
