import { readFileSync } from 'node:fs';

/** The file to which each test file on real servers appends its name and CPU time. Set by `npm test`. */
export const CPU_FILE = 'JOBLEDGER_TEST_CPU_FILE';

const TICKS_PER_SECOND = 100;
/** Fields of /proc/self/stat after the name, which may contain spaces: utime, stime, cutime, cstime. */
const [FIRST, LAST] = [11, 14];

/** The CPU time of this process and of its children that have ended, in seconds. Zero except on Linux. */
export function cpuSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST, LAST + 1).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}
