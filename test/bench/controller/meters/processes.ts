import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** A process under measurement, which may have children. */
export interface MeasuredProcess {
  readonly name: string;
  readonly pid: number;
}

/** The fields of `/proc/PID/stat` that are measured. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Of all its threads, and of the children that have ended. */
  readonly cpuSeconds: number;
}

/** Linux has given this many clock ticks a second to programs on every architecture since 2.6. */
const TICKS = 100;

/** CPU seconds that each process and its children, present and past, have used since they started. */
export function cpuSeconds(processes: readonly MeasuredProcess[]): Record<string, number> {
  const all = allStats();
  return Object.fromEntries(
    processes.map(({ name, pid }) => [
      name,
      processTree(pid, all).reduce((total, each) => total + each.cpuSeconds, 0),
    ]),
  );
}

/** Starts the measurement of peak memory anew. Without the right to, the peak includes the start. */
export function resetPeakMemory(processes: readonly MeasuredProcess[]): void {
  const all = allStats();
  for (const { pid } of processes.flatMap((each) => processTree(each.pid, all))) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

/** Peak resident memory in MB of each process. */
export function peakMegabytes(processes: readonly MeasuredProcess[]): Record<string, number> {
  const all = allStats();
  return Object.fromEntries(
    processes.map(({ name, pid }) => {
      const texts = processTree(pid, all).map((each) => readText(`/proc/${each.pid}/status`));
      return [name, sumMemory(texts) / 1000];
    }),
  );
}

/** CPU seconds of the whole machine that were not idle. */
export function busySeconds(stat = readText('/proc/stat')): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(stat)?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softIrq + steal) / TICKS;
}

/**
 * Kilobytes, from the `/proc/PID/status` of a process and its children. A single process gives its peak. Several share
 * memory, which is counted once; the kernel has no peak of that sum, so it is the present one.
 */
export function sumMemory(statuses: readonly string[]): number {
  const [only] = statuses;
  if (only !== undefined && statuses.length === 1) return kilobytes(only, 'VmHWM');
  const own = statuses.reduce((total, each) => total + kilobytes(each, 'RssAnon'), 0);
  const shared = (name: string): number => Math.max(0, ...statuses.map((each) => kilobytes(each, name)));
  return own + shared('RssFile') + shared('RssShmem');
}

/** The command in the second field may contain spaces and parentheses. */
export function statIn(text: string): ProcessStat {
  const [pid = ''] = text.split(' ', 1);
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = rest.slice(11, 15).map(Number);
  return {
    pid: Number(pid),
    parent: Number(rest[1]),
    cpuSeconds: ticks.reduce((total, each) => total + each, 0) / TICKS,
  };
}

/** The process and all its descendants. */
export function processTree(root: number, all: readonly ProcessStat[]): ProcessStat[] {
  const own = all.filter(({ pid }) => pid === root);
  return [...own, ...all.filter(({ parent }) => parent === root).flatMap(({ pid }) => processTree(pid, all))];
}

function allStats(): ProcessStat[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids
    .map((pid) => readText(`/proc/${pid}/stat`))
    .filter((text) => text !== '')
    .map(statIn);
}

/** Empty when the process has ended. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}
