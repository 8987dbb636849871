import { setTimeout as pause } from 'node:timers/promises';
import { requestsIn, sizeOf, textFrom, writesAndReads } from './meters/audit.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { differences, perJob, sum, type Figures } from './report/figures.ts';
import { timeFigures } from './load/job-times.ts';
import { createNamespace, emptyNamespace } from './load/namespace.ts';
import type { Load } from './options.ts';
import { busySeconds, cpuSeconds, peakMegabytes, resetPeakMemory } from './meters/processes.ts';
import { runLoad } from './load/run-load.ts';
import type { Side } from './sides/side.ts';

/**
 * One round: the side finishes a few Jobs that are not measured, then the load in a namespace of its own. Counts and CPU
 * are taken from the first creation until the side has nothing left to do; throughput ends at the last terminal condition.
 */
export async function measure(
  plane: ControlPlane,
  side: Side,
  { load, warmUp, verify, round }: { load: Load; warmUp: number; verify: boolean; round: number },
): Promise<Figures> {
  const namespaces = namespacesOf(side.name, round);
  for (const name of Object.values(namespaces)) await createNamespace(plane.admin, name);
  const run = async (): Promise<Figures> => {
    const few = { jobs: warmUp, pods: 1, parallelism: 1, indexed: false };
    await runLoad(plane.admin, namespaces.warmUp, few);
    await settled(side);
    const before = await readMeters(plane, side);
    resetPeakMemory([...side.processes(), ...plane.processes()]);
    const times = await runLoad(plane.admin, namespaces.load, load);
    await settled(side);
    const after = await readMeters(plane, side);
    if (JSON.stringify(before.processes) !== JSON.stringify(after.processes))
      throw new Error('a process has ended and was started again during the measurement');
    const memory = peakMegabytes([...side.processes(), ...plane.processes()]);
    const uids = new Set([...times.values()].flatMap(({ uid = [] }) => uid));
    const histories = await side.countsOf(uids);
    if (verify) await side.verify();
    const requests = requestsIn(textFrom(plane.auditFile, before.auditSize), side.user);
    return {
      ...timeFigures(times),
      ...requestFigures(requests, load.jobs),
      ...cpuFigures(before, after, load.jobs),
      ...Object.fromEntries(Object.entries(memory).map(([name, value]) => [`peak MB: ${name}`, value])),
      ...countFigures({ ...histories, ...differences(before.counters, after.counters) }, load.jobs),
    };
  };
  return Promise.race([run(), side.failure]);
}

/** Deletes what a round has left, so that the next side does not see it. Its own side must have stopped. */
export async function removeRound({ admin }: ControlPlane, side: string, round: number): Promise<void> {
  for (const name of Object.values(namespacesOf(side, round))) await emptyNamespace(admin, name);
}

function namespacesOf(side: string, round: number): { load: string; warmUp: string } {
  const load = `${side}-round-${round}`;
  return { load, warmUp: `${load}-warm-up` };
}

interface Meters {
  readonly at: number;
  readonly processes: unknown;
  readonly side: Figures;
  readonly plane: Figures;
  readonly counters: Figures;
  readonly busy: number;
  readonly auditSize: number;
}

/** What is read last at the beginning is read first at the end, so that reading is measured as little as possible. */
async function readMeters(plane: ControlPlane, side: Side): Promise<Meters> {
  const { user, system } = process.cpuUsage();
  const quick = {
    at: performance.now(),
    busy: busySeconds(),
    side: cpuSeconds(side.processes()),
    plane: { ...cpuSeconds(plane.processes()), 'this benchmark': (user + system) / 1e6 },
    auditSize: sizeOf(plane.auditFile),
  };
  return { ...quick, processes: [side.processes(), plane.processes()], counters: await side.counters() };
}

function requestFigures(requests: Figures, jobs: number): Figures {
  const { writes, reads } = writesAndReads(requests);
  const each = Object.entries(requests).map(([name, count]) => [`API requests a Job: ${name}`, count / jobs]);
  return {
    'API writes a Job': writes / jobs,
    'API reads a Job': reads / jobs,
    ...(Object.fromEntries(each) as Figures),
  };
}

function cpuFigures(before: Meters, after: Meters, jobs: number): Figures {
  const [side, plane] = [differences(before.side, after.side), differences(before.plane, after.plane)];
  const perJobMs = (what: string, cpu: Figures): Figures =>
    Object.fromEntries(
      Object.entries(cpu).map(([name, seconds]) => [`${what}: ${name}`, (seconds * 1000) / jobs]),
    );
  const total = sum(Object.values(side));
  const others = after.busy - before.busy - total - sum(Object.values(plane));
  return {
    'controller CPU a Job (ms)': (total * 1000) / jobs,
    ...perJobMs('controller CPU a Job (ms)', side),
    ...perJobMs('control plane CPU a Job (ms)', plane),
    'other work on the machine (cores)': others / ((after.at - before.at) / 1000),
  };
}

/** `Kafka requests: worker Produce` becomes one figure for each service and API, with their sum before them. */
function countFigures(counts: Figures, jobs: number): Figures {
  const kafka = Object.entries(counts).filter(([name]) => name.startsWith('Kafka requests: '));
  const others = Object.entries(counts).filter(([name]) => !name.startsWith('Kafka requests: '));
  if (others.length === 0) return {};
  return {
    ...perJob(Object.fromEntries(others), jobs),
    'Kafka requests a Job': sum(kafka.map(([, count]) => count)) / jobs,
    ...Object.fromEntries(
      kafka.map(([name, count]) => [name.replace('requests:', 'requests a Job:'), count / jobs]),
    ),
  };
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
