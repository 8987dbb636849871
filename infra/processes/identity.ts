import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One process for certain: a pid alone may meanwhile belong to somebody else. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, in the words of the operating system: only ever compared. */
  readonly born: string;
}

/** The identity of a live process, undefined when there is none (a zombie is none). */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const born = process.platform === 'linux' ? bornOnLinux(pid) : bornByPs(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.born === identity.born;
}

export function ownIdentity(): ProcessIdentity {
  return processIdentity(process.pid) ?? { pid: process.pid, born: 'unknown' };
}

function bornOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may hold anything; what follows it is fixed: state first, start time 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function bornByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
