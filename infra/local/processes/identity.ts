import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies one process exactly: a pid alone may have been reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time as the operating system reports it. An opaque text, only compared for equality. */
  readonly born: string;
}

/** The identity of a live process; undefined when no such process exists or it is a zombie. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const born = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.born === identity.born;
}

export function ownIdentity(): ProcessIdentity {
  return processIdentity(process.pid) ?? { pid: process.pid, born: 'unknown' };
}

function startTimeFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may contain any character. Fixed fields follow the command: the state is the first field, the start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
