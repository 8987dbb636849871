import { readFileSync } from 'node:fs';

/** Linux only: nanoseconds that this thread ran, nanoseconds that it waited for a core, and how often. */
const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * The CPU time of the calling thread, in milliseconds, since an instant that does not change. On other systems, the elapsed time,
 * which is longer: Node reports only the CPU time of the whole process.
 */
export function threadCpuMs(): number {
  try {
    return Number(readFileSync(SCHEDULED, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
