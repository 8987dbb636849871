import * as fc from 'fast-check';
import { aWorld, change, deliver, finish, observeJob, putJob, setStatus, work, type World } from './world.ts';

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
