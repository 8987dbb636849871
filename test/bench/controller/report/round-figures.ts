import { writesAndReads } from '../meters/audit.ts';
import type { Meters } from '../meters/read-meters.ts';
import { differences, perJob, sum, type Figures } from './figures.ts';

/** Requests by verb and resource. */
export function requestFigures(requests: Figures, jobs: number): Figures {
  const { writes, reads } = writesAndReads(requests);
  const each = Object.entries(requests).map(([name, count]) => [`API requests a Job: ${name}`, count / jobs]);
  return {
    'API writes a Job': writes / jobs,
    'API reads a Job': reads / jobs,
    ...(Object.fromEntries(each) as Figures),
  };
}

/** CPU of each process, and what others used of the machine meanwhile. */
export function cpuFigures(before: Meters, after: Meters, jobs: number): Figures {
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
export function countFigures(counts: Figures, jobs: number): Figures {
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
