import { runInNewContext } from 'node:vm';

/** What takes longer is ended, in milliseconds. */
const ENDED_MS = 20_000;

/** The CPU time of synchronous work: the least of some runs, as others compile and collect garbage. Infinity when it does not end. */
export function leastCpuMs(work: () => unknown, enoughMs = 10): number {
  let least = Infinity;
  for (let run = 0; run < 4 && least > enoughMs; run += 1) {
    const before = process.cpuUsage();
    try {
      runInNewContext('work()', { work }, { timeout: ENDED_MS });
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return Infinity;
      throw error;
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
