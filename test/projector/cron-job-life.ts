import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { live } from '../cron-job/life.ts';
import { vanish, work } from '../cron-job/world.ts';

const MOVES = ['finish', 'wait', 'stray', 'fail', 'status', 'spec', 'wait', 'finish'] as const;

/** The stream of the CronJob `default/tick`, every two minutes: starts, replaced Jobs, changes, and its deletion. */
export function aCronJobLife(): CronJobEvent[] {
  const world = live(
    'Replace',
    MOVES.map((move) => ({ move, minutes: 3, delivered: true })),
  );
  world.trouble = { CreateJob: { status: 403, reason: 'Forbidden', message: 'exceeded quota' } };
  world.now += 120_000;
  work(world);
  world.trouble = {};
  world.now += 120_000;
  work(world);
  vanish(world);
  work(world);
  return world.stream;
}
