import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../services/adapters/errors.ts';

const ROOT = '/sys/fs/cgroup/cpu';
/** Long, so that even a thousandth of a core is a slice that the kernel accepts. */
const PERIOD_US = 200_000;

/** A slice of a core for processes; `end` gives them back what they had before. */
export interface CpuQuota {
  hold(pid: number): void;
  end(): void;
}

/**
 * A cgroup (version 1) that may use `share` of one core. @throws Error where this process may not create one: on a machine of
 * one's own as root.
 */
export function cpuQuota(name: string, share: number): CpuQuota {
  const group = join(ROOT, `jobledger-${process.pid}-${name}`);
  const pids: number[] = [];
  const move = (pid: number, to: string): void => writeFileSync(join(to, 'cgroup.procs'), String(pid));
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(share * PERIOD_US)));
  } catch (cause) {
    throw new Error(`no CPU quota can be set below ${ROOT}: ${messageOf(cause)}`, { cause });
  }
  return {
    hold(pid) {
      move(pid, group);
      pids.push(pid);
    },
    end() {
      for (const pid of pids) moveUnlessEnded(() => move(pid, ROOT));
      rmdirSync(group);
    },
  };
}

function moveUnlessEnded(move: () => void): void {
  try {
    move();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
