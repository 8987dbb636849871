import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../support/installation.ts';
import { cpuSeconds, type MeasuredProcess } from './controller/meters/processes.ts';

export const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'];

/** The costs of a measured action. */
export interface Costs {
  /** CPU seconds by process. */
  cpu: Record<string, number>;
  records: number;
  /** Wall clock. */
  seconds: number;
}

/** Measures what an installation spends on something: it is quiet before and after. */
export function createMeter({ services, servers, sql }: Installation) {
  const processes = (): MeasuredProcess[] => [
    ...SERVICES.map((name) => ({ name, pid: services.pid(name) ?? 0 })),
    ...servers.names.map((name) => ({ name, pid: servers.pid(name) ?? 0 })),
  ];
  const records = async (): Promise<number> => {
    const [row] = await sql<{ records: string }>('select count(*) as records from jobledger.events');
    return Number(row?.records ?? 0);
  };
  /** Nothing was recorded for two seconds. */
  const quiet = async (): Promise<void> => {
    for (let last = -1; ; await sleep(2000)) {
      const now = await records();
      if (now === last) return;
      last = now;
    }
  };
  return {
    quiet,
    /** Kafka, Temporal and Postgres. */
    stores: servers.names.filter((name) => ['kafka', 'temporal', 'postgres'].includes(name)),
    async measured(act: () => Promise<void>): Promise<Costs> {
      await quiet();
      const measuredOnes = processes();
      const [before, recordsBefore] = [cpuSeconds(measuredOnes), await records()];
      const begin = performance.now();
      await act();
      const seconds = (performance.now() - begin) / 1000;
      await quiet();
      const after = cpuSeconds(measuredOnes);
      const names = Object.keys(after);
      return {
        cpu: Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)])),
        records: (await records()) - recordsBefore,
        seconds,
      };
    },
  };
}

/** Milliseconds of CPU of these processes for each of `count`. */
export function costPerJob({ cpu }: Costs, names: readonly string[], count: number): number {
  return (names.reduce((sum, name) => sum + (cpu[name] ?? 0), 0) * 1000) / count;
}
