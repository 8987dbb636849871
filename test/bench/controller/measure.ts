import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { timeFigures } from './load/job-times.ts';
import { createNamespace, emptyNamespace } from './load/namespace.ts';
import { runLoad } from './load/run-load.ts';
import { requestsIn, textFrom } from './meters/audit.ts';
import { peakMegabytes, resetPeakMemory } from './meters/processes.ts';
import { readMeters } from './meters/read-meters.ts';
import type { Load } from './options.ts';
import { differences, type Figures } from './report/figures.ts';
import { countFigures, cpuFigures, requestFigures } from './report/round-figures.ts';
import type { Side } from './sides/side.ts';

/**
 * One round: the side finishes a few Jobs that are not measured, then the load in a namespace of its own. Counts and CPU
 * are taken from the first creation until the side has nothing left to do; throughput ends at the last terminal condition.
 */
export async function measure(plane: ControlPlane, side: Side, options: MeasureOptions): Promise<Figures> {
  return Promise.race([measureRound(plane, side, options), side.failure]);
}

interface MeasureOptions {
  readonly load: Load;
  /** One-pod Jobs before the load. */
  readonly warmUp: number;
  readonly verify: boolean;
  readonly round: number;
}

async function measureRound(
  plane: ControlPlane,
  side: Side,
  { load, warmUp, verify, round }: MeasureOptions,
): Promise<Figures> {
  const namespaces = roundNamespaces(side.name, round);
  for (const name of Object.values(namespaces)) await createNamespace(plane.admin, name);
  const few = { jobs: warmUp, pods: 1, parallelism: 1, indexed: false };
  await runLoad(plane.admin, namespaces.warmUp, few);
  await settled(side);

  const before = await readMeters(plane, side);
  resetPeakMemory([...side.processes(), ...plane.processes()]);
  // Asking for rows costs CPU, so it is done only where latencies are the question.
  const endedInTables = load.rate === undefined ? undefined : side.endedInTables;
  const times = await runLoad(plane.admin, namespaces.load, load, endedInTables);
  await settled(side);
  const after = await readMeters(plane, side);
  if (before.processes !== after.processes)
    throw new Error('a process has ended and was started again during the measurement');

  const memory = peakMegabytes([...side.processes(), ...plane.processes()]);
  const requests = requestsIn(textFrom(plane.auditFile, before.auditSize), side.user);
  const uids = new Set([...times.values()].flatMap(({ uid = [] }) => uid));
  const histories = await side.readCounts(uids);
  if (verify) await side.verify();
  return {
    ...timeFigures(times),
    ...requestFigures(requests, load.jobs),
    ...cpuFigures(before, after, load.jobs),
    ...Object.fromEntries(Object.entries(memory).map(([name, value]) => [`peak MB: ${name}`, value])),
    ...countFigures({ ...histories, ...differences(before.counters, after.counters) }, load.jobs),
  };
}

/** Deletes what a round has left, so that the next side does not see it. Its own side must have stopped. */
export async function removeRound({ admin }: ControlPlane, side: string, round: number): Promise<void> {
  for (const name of Object.values(roundNamespaces(side, round))) await emptyNamespace(admin, name);
}

function roundNamespaces(side: string, round: number): { load: string; warmUp: string } {
  const load = `${side}-round-${round}`;
  return { load, warmUp: `${load}-warm-up` };
}

/** A second without progress, and no work known to be left. */
async function settled(side: Side): Promise<void> {
  let last: string | undefined;
  for (;;) {
    const now = await side.progress();
    if (now !== undefined && now === last) return;
    last = now;
    await pause(1000);
  }
}
