/** Runs work as soon as fewer than `limit` others run. */
export type Pool = <T>(work: () => Promise<T>) => Promise<T>;

export function createPool(limit: number): Pool {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
