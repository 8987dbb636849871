import { readFileSync } from 'node:fs';

/** Linux only: nanoseconds for which this thread has had a core, nanoseconds for which it waited for one, and how often. */
const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * The CPU time of the calling thread, in milliseconds, since an instant that does not change. Elsewhere than on Linux the
 * time that has passed, which is longer: Node reports the CPU time of the whole process only.
 */
export function threadCpuMs(): number {
  try {
    return Number(readFileSync(SCHEDULED, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
