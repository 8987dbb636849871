import type { JobEvent } from '../../workflows/job/events.ts';
import { decided } from './builders.ts';

/** One decision of a stream whose steps ran again. */
export interface MadeAgain {
  /** The number of steps before it that do not stand: Temporal has gone back. */
  back: number;
  /** When none follows it: the number of later ones that are appended before it. */
  late: number;
}

/** The decisions of these steps in the order in which they were appended. */
export function appended(steps: readonly MadeAgain[]): JobEvent[] {
  const chain: string[] = [];
  const made = steps.map(({ back, late }, at) => {
    chain.length = Math.max(0, chain.length - back);
    const predecessor = chain.at(-1);
    const id = `decision-${at}`;
    const event = decided(at, chain.push(id), {
      id,
      ...(predecessor !== undefined && { predecessor }),
    });
    return { event, id, predecessor, at, late };
  });
  const followed = new Set(made.map(({ predecessor }) => predecessor));
  return made
    .toSorted((a, b) => a.at + (followed.has(a.id) ? 0 : a.late) - b.at - (followed.has(b.id) ? 0 : b.late))
    .map(({ event }) => event);
}
