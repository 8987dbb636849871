import { ProblemError } from '../adapters/http/problem.ts';

/** Runs a caller's work when its turn comes. `signal` ends the wait, not the work. */
type FairTurns = <T>(who: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  who: string;
  start: () => void;
}

interface Turns {
  /** The maximum number of requests that run at the same time. */
  most: number;
  /** The maximum number of running requests of one caller, so that no caller can take every place. */
  mostOfCaller: number;
  /** The maximum number of waiting requests of one caller. */
  mostWaiting: number;
}

/**
 * Gives a free place to the caller with the fewest places, and among equal callers to the caller that has waited
 * longest. @throws ProblemError when too many requests of a caller wait, and when the signal ends the wait.
 */
export function createFairTurns({ most, mostOfCaller, mostWaiting }: Turns): FairTurns {
  const running = new Map<string, number>();
  const waiting: Waiting[] = [];
  const countRunning = (who: string): number => running.get(who) ?? 0;
  const startNext = (): void => {
    if ([...running.values()].reduce((sum, each) => sum + each, 0) >= most) return;
    const fewest = Math.min(...waiting.map(({ who }) => countRunning(who)));
    if (fewest >= mostOfCaller) return;
    const [next] = waiting.splice(
      waiting.findIndex(({ who }) => countRunning(who) === fewest),
      1,
    );
    if (next === undefined) return;
    running.set(next.who, fewest + 1);
    next.start();
  };
  return async (who, signal, work) => {
    if (waiting.filter((each) => each.who === who).length >= mostWaiting)
      throw new ProblemError(
        'too-many-requests',
        `${mostWaiting} of your requests are waiting; wait for their responses`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        const place = waiting.indexOf(mine);
        if (place < 0) return;
        waiting.splice(place, 1);
        reject(busyProblem());
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
      if (countRunning(who) > 1) running.set(who, countRunning(who) - 1);
      else running.delete(who);
      startNext();
    }
  };
}

function busyProblem(): ProblemError {
  return new ProblemError('unavailable', 'too many responses are being computed; try again later', {
    headers: { 'retry-after': '5' },
  });
}
