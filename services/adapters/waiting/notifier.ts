/** Wakes all waiters at a change, without naming the change. */
export interface Notifier {
  notify(): void;
  /** Resolves at the next `notify`, or after `limitMs` milliseconds. */
  next(limitMs?: number): Promise<void>;
}

export function createNotifier(): Notifier {
  const waiting = new Set<() => void>();
  return {
    notify: () => {
      for (const resume of waiting) resume();
    },
    next: (limitMs = Infinity) =>
      new Promise((resolve) => {
        const resume = (): void => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const timer = limitMs === Infinity ? undefined : setTimeout(resume, limitMs);
        waiting.add(resume);
      }),
  };
}
