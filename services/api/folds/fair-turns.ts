import { ProblemError } from '../../adapters/http/problem.ts';

/** Runs a caller's work when its turn comes. `signal` ends the wait, not the work. */
type FairTurns = <T>(who: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  who: string;
  start: () => void;
}

/**
 * Runs at most `most` at a time, and only one per caller, so that no caller can take every place. At most `mostWaiting`
 * of each caller wait. @throws ProblemError beyond that, and when the signal ends the wait.
 */
export function createFairTurns(most: number, mostWaiting: number): FairTurns {
  const running = new Set<string>();
  const waiting: Waiting[] = [];
  const startNext = (): void => {
    if (running.size >= most) return;
    const place = waiting.findIndex(({ who }) => !running.has(who));
    const [next] = place < 0 ? [] : waiting.splice(place, 1);
    if (next === undefined) return;
    running.add(next.who);
    next.start();
  };
  return async (who, signal, work) => {
    if (waiting.filter((each) => each.who === who).length >= mostWaiting)
      throw new ProblemError(
        'too-many-requests',
        `${mostWaiting} of your requests are waiting to be computed`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        const place = waiting.indexOf(mine);
        if (place < 0) return;
        waiting.splice(place, 1);
        reject(busy());
      };
      const mine = {
        who,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      waiting.push(mine);
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave);
      startNext();
    });
    try {
      return await work();
    } finally {
      running.delete(who);
      startNext();
    }
  };
}

function busy(): ProblemError {
  return new ProblemError('unavailable', 'too many responses are being computed; try again later', {
    headers: { 'retry-after': '5' },
  });
}
