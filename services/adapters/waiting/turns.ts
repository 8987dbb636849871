/** Runs work at once or when its turn comes. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most `most` tasks at a time; further tasks wait, in the order of the calls. */
export function createTurns(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place of a finished task goes to the next waiting task, so no later call gets in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
