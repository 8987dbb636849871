import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Figures } from '../report/figures.ts';
import type { Side } from '../sides/side.ts';
import { fileSize } from './audit.ts';
import { busySeconds, cpuSeconds } from './processes.ts';

/** What only grows during a round. */
export interface Meters {
  /** In milliseconds. */
  readonly at: number;
  readonly side: Figures;
  readonly plane: Figures;
  readonly counters: Figures;
  /** CPU seconds of the whole machine. */
  readonly busy: number;
  readonly auditSize: number;
  /** Names and pids; the same at the end unless one was restarted. */
  readonly processes: string;
}

/** Reading the counters costs the side a little; of that, only the reading before the load is part of its CPU. */
export async function readMeters(plane: ControlPlane, side: Side): Promise<Meters> {
  const { user, system } = process.cpuUsage();
  const quick = {
    at: performance.now(),
    busy: busySeconds(),
    side: cpuSeconds(side.processes()),
    plane: { ...cpuSeconds(plane.processes()), 'this benchmark': (user + system) / 1e6 },
    auditSize: fileSize(plane.auditFile),
  };
  return {
    ...quick,
    processes: JSON.stringify([side.processes(), plane.processes()]),
    counters: await side.counters(),
  };
}
