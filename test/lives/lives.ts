import { cronLife } from './cron-life.ts';
import { jobLife } from './job-life.ts';
import type { Life } from './life.ts';
import { placedLife } from './placed-life.ts';

/** The life of a seed, by the kind of the object that lives it. */
export const LIVES = {
  Job: jobLife,
  CronJob: (seed: number) => Promise.resolve(cronLife(seed)),
  'placed Job': (seed: number) => placedLife(seed),
} as const satisfies Record<string, (seed: number) => Promise<Life>>;

/** A life with a problem. */
export interface BadLife extends Life {
  seed: number;
}

/** The lives with problems among the next seeds; `most`: the number of such lives that are looked for. */
export async function badLives(
  live: (seed: number) => Promise<Life>,
  { from, lives, most = Infinity }: { from: number; lives: number; most?: number },
): Promise<BadLife[]> {
  const bad: BadLife[] = [];
  for (let seed = from; seed < from + lives && bad.length < most; seed += 1) {
    const life = await live(seed);
    if (life.problems.length > 0) bad.push({ seed, ...life });
  }
  return bad;
}
