import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** A durable timer that is replaced only when its instant changes, so that a wait adds no events to the history. */
export interface Timer {
  /** Sets the instant, in milliseconds since 1970; null stops the timer. */
  set(at: number | null): void;
  /** True once the timer has fired, until another instant is set. */
  hasFired(): boolean;
}

/**
 * The longest duration of a timer that the server accepts, in milliseconds. A timer with a longer duration fires
 * early and is set again.
 */
const LONGEST_MS = 365 * 24 * 3_600_000;

/** Creates a timer that is not set. */
export function createTimer(): Timer {
  let current: { at: number; scope: CancellationScope; fired: boolean } | null = null;
  return {
    set(at) {
      if (current?.at === at && !current.fired) return;
      current?.scope.cancel();
      current = at === null ? null : startTimer(at);
    },
    hasFired: () => current?.fired ?? false,
  };
}

/** Starts a timer that fires at an instant, or earlier when the wait is longer than the server accepts. */
function startTimer(at: number): { at: number; scope: CancellationScope; fired: boolean } {
  const timer = { at, scope: new CancellationScope(), fired: false };
  timer.scope
    .run(() => sleep(Math.min(Math.max(1, at - Date.now()), LONGEST_MS)))
    .then(
      () => {
        timer.fired = true;
      },
      (error: unknown) => {
        if (!isCancellation(error)) throw error;
      },
    );
  return timer;
}

/**
 * Runs work that waits for a local activity, so that `Date.now()` before it is the same in a replay. A workflow task that
 * takes longer than 80 % of its timeout is completed by a heartbeat. A replay merges a task that was completed
 * without a command into the next task, and uses the time of the next task. The timer of this function is such a
 * command; usually the timer is set and cancelled within one task, and leaves no trace in the history.
 */
export async function withFixedTime<T>(work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  scope.run(() => sleep(LONGEST_MS)).catch(ignoreCancellation);
  try {
    return await work();
  } finally {
    scope.cancel();
  }
}

/** Ignores the error of a cancelled timer, and throws any other error again. */
function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
