import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { mostRecent, nextAfter } from '../../../workflows/cron-job/schedule/most-recent.ts';
import { nextTime } from '../../../workflows/cron-job/schedule/next-time.ts';
import {
  parseSchedule,
  splitZone,
  type Schedule,
} from '../../../workflows/cron-job/schedule/parse-schedule.ts';
import type { KnownZone } from '../../../workflows/cron-job/schedule/zone.ts';
import { zoneRules } from '../../../services/adapters/time-zones.ts';

/** What upstream's own parser gives (test/cron-job/oracle); instants in seconds, `now` in milliseconds, 0 for none. */
interface Expected {
  zones: { name: string; offsets: [number, number][] }[];
  parses: { text: string; error: string }[];
  nexts: { zone: string; schedule: string; times: number[] }[];
  recents: {
    zone: string;
    schedule: string;
    since: number;
    now: number;
    time: number;
    after: number;
    many: boolean;
    error: boolean;
  }[];
}

const file = join(import.meta.dirname, '..', 'oracle', 'expected.json.gz');
const expected = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Expected;
const zones = new Map<string, KnownZone>(
  expected.zones.map(({ name, offsets }) => [
    name,
    { name, from: 0, until: 0, offsets: offsets.map(([since, offset]) => [since * 1000, offset]) },
  ]),
);

function findZone(name: string): KnownZone {
  const zone = zones.get(name);
  if (zone === undefined) throw new Error(`no zone ${name}`);
  return zone;
}

function parseValid(text: string): Schedule {
  const parsed = parseSchedule(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed.schedule;
}

/** The error of a whole schedule, with its zone. */
function parseError(text: string): string {
  if (text === '') return 'empty spec string';
  const split = splitZone(text);
  if ('error' in split) return split.error;
  if (split.zone === 'No/Where') return 'provided bad location No/Where: unknown time zone No/Where';
  const parsed = parseSchedule(split.rest);
  return 'error' in parsed ? parsed.error : '';
}

describe('the schedule parser with the test vectors of the Go parser', () => {
  it.each(expected.parses)('rejects "$text" with $error (J-9.2, J-9.3)', ({ text, error }) => {
    expect(parseError(text)).toBe(error);
  });

  it('finds the same next times as the Go parser, also where clocks change (J-9.4)', () => {
    for (const { zone, schedule, times } of expected.nexts) {
      const found = times
        .slice(0, -1)
        .map((time) => nextTime(parseValid(schedule), findZone(zone), time * 1000) ?? 0);
      expect({ zone, schedule, found: found.map((time) => time / 1000) }).toEqual({
        zone,
        schedule,
        found: times.slice(1),
      });
    }
  });

  it('finds the same most recent time as the Go parser, and the same time of the next check (J-9.40, J-9.45)', () => {
    for (const { zone, schedule, since, now, time, after, many, error } of expected.recents) {
      const elapsed = { since: since * 1000, now };
      const [read, rules] = [parseValid(schedule), findZone(zone)];
      const recent = mostRecent(read, rules, elapsed);
      const seconds = (instant: number | null | undefined): number => (instant ?? 0) / 1000;
      expect({
        zone,
        schedule,
        since,
        now,
        time: seconds(recent?.time),
        after: seconds(nextAfter(read, rules, elapsed)),
        many: (recent?.missed ?? 0) > 100,
        error: recent === null,
      }).toEqual({ zone, schedule, since, now, time, after, many, error });
    }
  });
});

describe('the recorded time zone rules', () => {
  it.each(expected.zones.map(({ name }) => name))(
    'equal the rules that Go reads, up to 2026: %s (J-9.4)',
    (name) => {
      const [from, until] = [Date.UTC(2009, 0, 1), Date.UTC(2026, 0, 1)];
      const rules = zoneRules({ name, from, until });
      expect(rules).toEqual({
        name,
        from,
        until,
        offsets: findZone(name).offsets.filter(([since]) => since < until),
      });
    },
  );
});
