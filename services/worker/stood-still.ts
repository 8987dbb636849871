import type { Clocks } from './activities/attempt/deadline.ts';

/** The clocks and the CPU time of the process, in milliseconds. */
export interface ProcessClocks extends Clocks {
  cpu(): number;
}

const TICK_MS = 500;
/** The part of the time beyond which the CPU time of a process shows that it was busy instead of stopped. */
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
 * Calls `onStopped` with the duration when the process was stopped for at least `longestMs`, for example by SIGSTOP or
 * by a pause of the virtual machine. The clock that has advanced more, monotonic or wall, determines the duration. The
 * checks end when `signal` is aborted.
 */
export function watchForStops(
  longestMs: number,
  { signal, onStopped }: { signal: AbortSignal; onStopped: (stoodStillMs: number) => void },
  clocks: ProcessClocks = SYSTEM,
): void {
  const readClocks = (): { monotonic: number; wall: number; cpu: number } => ({
    monotonic: clocks.monotonic(),
    wall: clocks.wall(),
    cpu: clocks.cpu(),
  });
  let last = readClocks();
  const timer = setInterval(() => {
    const now = readClocks();
    const stoodStillMs = Math.max(now.monotonic - last.monotonic, now.wall - last.wall) - TICK_MS;
    const wasBusy = now.cpu - last.cpu > BUSY * stoodStillMs;
    last = now;
    if (stoodStillMs >= longestMs && !wasBusy) onStopped(stoodStillMs);
  }, TICK_MS);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
