const ALLOWED = 5;
const WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** Counts how often one program has ended without a request, to decide whether it is started again. */
export interface Deaths {
  readonly note: () => void;
  /** The reason why the program is not started again; undefined when it is started again after the pause. */
  readonly tooMany: () => string | undefined;
  /** Milliseconds. */
  readonly pause: () => number;
}

export function countDeaths(now: () => number = Date.now): Deaths {
  const times: number[] = [];
  return {
    note: () => times.push(now()),
    tooMany() {
      while ((times[0] ?? now()) < now() - WITHIN_MS) times.shift();
      return times.length >= ALLOWED ? `ended ${ALLOWED} times within a minute` : undefined;
    },
    pause: () => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * Math.max(0, times.length - 1)),
  };
}
