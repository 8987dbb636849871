import * as fc from 'fast-check';
import {
  aWorld,
  catchUp,
  change,
  deliver,
  finish,
  observeJob,
  putJob,
  remove,
  replayed,
  runUntil,
  setStatus,
  work,
  type Creation,
  type World,
} from './world.ts';

const MINUTE = 60_000;

/** A CronJob with a life: Jobs that end, strays, changes, crashes. */
export const moves = fc.array(
  fc.record({
    move: fc.constantFrom('finish', 'fail', 'stray', 'crash', 'status', 'spec', 'wait', 'wait'),
    minutes: fc.integer({ min: 0, max: 5 }),
    delivered: fc.boolean(),
  }),
  { maxLength: 14 },
);
type Moves = typeof moves extends fc.Arbitrary<infer M> ? M : never;

export const policies = fc.constantFrom('Allow', 'Forbid', 'Replace');

export function live(policy: string, drawn: Moves): World {
  const world = aWorld({ schedule: '*/2 * * * *', concurrencyPolicy: policy }, '2026-03-01T12:00:00Z');
  for (const [at, { move, minutes, delivered }] of drawn.entries()) {
    world.now += minutes * MINUTE + 1000;
    const running = [...world.jobs.values()].find(({ status }) => status?.conditions === undefined);
    const name = running?.metadata.name;
    if (name !== undefined && move === 'finish') finish(world, name);
    if (name !== undefined && move === 'fail') finish(world, name, 'Failed');
    if (move === 'stray') observeJob(world, putJob(world, `stray-${at}`));
    if (move === 'crash') world.crashAfter = at % 3;
    if (move === 'status') setStatus(world, { ...world.cronJob.status });
    if (move === 'spec') change(world, { startingDeadlineSeconds: 100 + at });
    if (delivered) work(world);
  }
  world.crashAfter = null;
  work(world);
  deliver(world);
  return world;
}

/** A life with requests that got no answer, runs that are replaced, a watch that is behind, and Jobs that are deleted by their TTL. */
export const mishaps = fc.array(
  fc.record({
    creation: fc.constantFrom<Creation>('answered', 'lost', 'lost and gone', 'not sent'),
    watch: fc.constantFrom('behind', 'catches up', 'as it is'),
    job: fc.constantFrom('ends', 'ends and is deleted', 'goes on'),
    crash: fc.option(fc.nat(2)),
    seconds: fc.integer({ min: 1, max: 150 }),
  }),
  { minLength: 1, maxLength: 12 },
);
type Mishaps = typeof mishaps extends fc.Arbitrary<infer M> ? M : never;

export function liveThrough(policy: string, drawn: Mishaps): World {
  const world = aWorld({ concurrencyPolicy: policy }, '2026-03-01T12:00:00Z');
  for (const { creation, watch, job, crash, seconds } of drawn) {
    world.creation = creation;
    if (watch === 'behind') world.unseen ??= [];
    if (watch === 'catches up') catchUp(world);
    const name = [...world.jobs.values()].find(({ status }) => status?.conditions === undefined)?.metadata
      .name;
    if (name !== undefined && job !== 'goes on') finish(world, name);
    if (name !== undefined && job === 'ends and is deleted') remove(world, name);
    world.crashAfter = crash;
    runUntil(world, world.now + seconds * 1000);
    // The run is replaced.
    if (crash !== null && world.crashAfter === null) world.state = replayed(world.stream).state;
    world.crashAfter = null;
  }
  world.creation = 'answered';
  catchUp(world);
  work(world);
  return world;
}
