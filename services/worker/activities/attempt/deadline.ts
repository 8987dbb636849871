import { UnavailableError } from '../../../adapters/errors.ts';

/**
 * The time until which an attempt may change objects. After this time, Temporal may have given the work of the attempt
 * to another worker.
 */
export interface AttemptDeadline {
  /** Restarts the time of the attempt, at each heartbeat. The call has no effect after the time has passed. */
  renew(): void;
  /** @throws DeadlinePassedError when the time has passed. */
  check(): void;
  leftMs(): number;
}

/**
 * Thrown when the process was stopped or too busy. The error is retryable, because Temporal repeats the attempt on this
 * or another worker.
 */
export class DeadlinePassedError extends UnavailableError {}

/** Clocks in milliseconds since an arbitrary start. */
export interface Clocks {
  monotonic(): number;
  wall(): number;
}

const SYSTEM: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * The deadline of an attempt that begins now. The clock that has advanced more counts, because the monotonic clock may
 * stop while a virtual machine is paused, and the wall clock may be set back.
 */
export function startAttemptDeadline(lengthMs: number, clocks: Clocks = SYSTEM): AttemptDeadline {
  let [monotonic, wall] = [clocks.monotonic(), clocks.wall()];
  let isOver = false;
  const leftMs = (): number => {
    const passed = Math.max(clocks.monotonic() - monotonic, clocks.wall() - wall);
    isOver ||= passed > lengthMs;
    return isOver ? 0 : lengthMs - passed;
  };
  return {
    leftMs,
    renew() {
      if (leftMs() > 0) [monotonic, wall] = [clocks.monotonic(), clocks.wall()];
    },
    check() {
      leftMs();
      if (!isOver) return;
      throw new DeadlinePassedError(
        `this attempt had no heartbeat for ${lengthMs} ms, so another worker may have continued; this attempt sends no further requests`,
      );
    },
  };
}
