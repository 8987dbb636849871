import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { zoneRules } from '../../services/adapters/time-zones.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import type { StartChange, WhatIfStarts } from '../../workflows/history/what-if-starts/types.ts';
import { whatIfStarts } from '../../workflows/history/what-if-starts/what-if-starts.ts';
import { startsIn } from '../../workflows/history/what-if-starts/recorded-starts.ts';
import { standingDecisions } from '../../workflows/job/record/folding.ts';
import { live, moves, policies } from '../cron-job/life.ts';
import {
  aWorld,
  change,
  finish,
  iso,
  observeJob,
  putJob,
  REFUSED,
  remove,
  runUntil,
  setStatus,
  time,
  work,
  type World,
} from '../cron-job/world.ts';

jest.setTimeout(120_000);

const T0 = '2026-03-01T12:00:00Z';
const MINUTE = 60_000;

function under(world: World, changed: StartChange): WhatIfStarts {
  const answer = whatIfStarts(world.stream, changed, zoneRules);
  if (isRefused(answer)) throw new Error(answer.words);
  return answer;
}

/** `12:10 same`, `12:20 later by 60 s`; times in UTC. */
function rows({ starts }: WhatIfStarts): string[] {
  return starts.map(({ scheduledAt, result, words }) =>
    `${scheduledAt.slice(11, 16)} ${result} ${words}`.trim(),
  );
}

function results(answer: WhatIfStarts): string[] {
  return answer.starts.map(({ scheduledAt, result }) => `${scheduledAt.slice(11, 16)} ${result}`);
}

/** Runs until an instant of 1 March. */
function until(world: World, clock: string): void {
  runUntil(world, time(`2026-03-01T${clock}Z`));
}

/** Every 10 minutes from 12:10 on; each Job runs for so many minutes, if any. */
function ticking(policy: string, minutes: number | null, last: string): World {
  const world = aWorld({ schedule: '*/10 * * * *', concurrencyPolicy: policy }, T0);
  work(world);
  const end = time(`2026-03-01T${last}:00Z`);
  for (let at = time(T0) + MINUTE; at <= end; at += MINUTE) {
    runUntil(world, at);
    for (const { name, at: started } of world.starts) {
      const job = world.jobs.get(name);
      const isOver = minutes !== null && at - started >= (minutes - 1) * MINUTE;
      if (job !== undefined && isOver && job.status?.conditions === undefined) finish(world, name);
    }
    work(world);
  }
  return world;
}

describe('without a change', () => {
  it('every recorded start is the same: Jobs that end, strays, crashes, changes, times without a controller', () => {
    fc.assert(
      fc.property(policies, moves, (policy, drawn) => {
        const world = live(policy, drawn);
        const answer = under(world, {});
        expect(answer.unknown).toBeNull();
        expect(answer.starts.map(({ scheduledAt, result, words }) => [scheduledAt, result, words])).toEqual(
          [...new Set(world.starts.map(({ scheduledAt }) => scheduledAt))]
            .toSorted((a, b) => a - b)
            .map((at) => [new Date(at).toISOString(), 'same', '']),
        );
      }),
      { numRuns: 300, seed: 23 },
    );
  });

  it('a change to the value that was in force, and other history limits, change nothing', () => {
    fc.assert(
      fc.property(policies, moves, fc.nat({ max: 3 }), (policy, drawn, limit) => {
        const same: StartChange[] = [
          { schedule: '*/2 * * * *', concurrencyPolicy: policy, suspend: false, timeZone: null },
          { successfulJobsHistoryLimit: limit, failedJobsHistoryLimit: limit },
          { timeZone: 'Europe/Berlin' },
        ];
        const world = live(policy, drawn);
        for (const changed of same) {
          const { starts, unknown } = under(world, changed);
          expect(unknown).toBeNull();
          expect(starts.filter(({ result }) => result !== 'same')).toEqual([]);
          expect(starts.length).toBe(world.starts.length);
        }
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});
