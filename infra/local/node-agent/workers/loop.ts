/** Runs one step repeatedly, on demand and never concurrently. */
export interface Loop {
  /** Requests another run, now or after the current run. */
  wake(): void;
  /** Requests a run at an instant (milliseconds since 1970); a later call replaces an earlier request. */
  wakeAt(instant: number): void;
  close(): void;
  readonly closed: boolean;
}

/** The longest delay that Node's timers support. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;

/**
 * Creates a loop. When the step throws, `onFailure` gets the error and the step is retried after a delay that doubles
 * from 0.5 s up to 15 s.
 */
export function createLoop(step: () => Promise<void>, onFailure: (error: unknown) => void): Loop {
  let busy = false;
  let again = false;
  let closed = false;
  let retryMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;

  const wakeAt = (instant: number): void => {
    clearTimeout(timer);
    if (closed || instant === Infinity) return;
    timer = setTimeout(wake, Math.min(Math.max(0, instant - Date.now()), LONGEST_TIMER_MS));
  };
  // `busy` is reset in the same tick as the last check of `again`, so that no wake is lost between them.
  const run = async (): Promise<void> => {
    busy = true;
    try {
      while (again) {
        again = false;
        await step();
        retryMs = FIRST_RETRY_MS;
      }
    } finally {
      busy = false;
    }
  };
  function wake(): void {
    again = !closed;
    if (busy || closed) return;
    void run().catch((error: unknown) => {
      onFailure(error);
      wakeAt(Date.now() + retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
  }

  return {
    wake,
    wakeAt,
    close() {
      closed = true;
      again = false;
      clearTimeout(timer);
    },
    get closed() {
      return closed;
    },
  };
}
