import type { Clocks } from './activities/attempt-deadline.ts';

/** Clocks, and the CPU time that the process has used, in milliseconds. */
export interface ProcessClocks extends Clocks {
  cpu(): number;
}

const TICK_MS = 500;
/** A process that used more CPU time than this was busy, not stopped. */
const BUSY = 0.2;

const SYSTEM: ProcessClocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Calls `onStopped` with the duration when the process has stood still for at least `longestMs` (SIGSTOP, a paused
 * virtual machine), by the monotonic or the wall clock, whichever has advanced more. Stops looking when `signal`
 * aborts.
 */
export function watchForStops(
  longestMs: number,
  { signal, onStopped }: { signal: AbortSignal; onStopped: (stoodStillMs: number) => void },
  clocks: ProcessClocks = SYSTEM,
): void {
  const read = (): { monotonic: number; wall: number; cpu: number } => ({
    monotonic: clocks.monotonic(),
    wall: clocks.wall(),
    cpu: clocks.cpu(),
  });
  let last = read();
  const timer = setInterval(() => {
    const now = read();
    const stoodStillMs = Math.max(now.monotonic - last.monotonic, now.wall - last.wall) - TICK_MS;
    const wasBusy = now.cpu - last.cpu > BUSY * stoodStillMs;
    last = now;
    if (stoodStillMs >= longestMs && !wasBusy) onStopped(stoodStillMs);
  }, TICK_MS);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
