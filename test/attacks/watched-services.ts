import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import type { Installation } from '../support/installation.ts';
import { loadYaml } from '../support/yaml.ts';

/** The measurements of a watched service. */
export interface ServiceFigures {
  /** How often another process was seen in its place. */
  restarts: number;
  /** The slowest answer of `/healthz`, and the slowest one of a process that only answers, which shows how busy the machine was, in milliseconds. */
  slowestHealthMs: number;
  slowestIdleMs: number;
  /** By how much the service answered later than that process, which was asked at the same time, at most. */
  slowestLaterMs: number;
  /** The most memory that its process ever had, and the limit that the chart gives it, in MiB. */
  mostMiB: number;
  limitMiB: number;
}

export type Watched = Record<(typeof SERVICES)[number], ServiceFigures>;

const POLL_MS = 500;
/** An answer later than this counts as this late. */
const SILENT_MS = 10_000;

/** A process that only answers: on a busy machine it is late too. */
const IDLE = `require('node:http').createServer((_request, response) => response.end())
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** Asks each service for its health until the signal. */
export async function watchServices(installation: Installation, signal: AbortSignal): Promise<Watched> {
  const limits = memoryLimits();
  const idle = spawn(process.execPath, ['-e', IDLE], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(idle.stdout, 'data')) as [Buffer];
    const reference = `http://127.0.0.1:${port.toString().trim()}/`;
    const watched = await Promise.all(
      SERVICES.map(async (name) => {
        const watching = { name, limitMiB: limits[name] ?? 0, reference };
        return [name, await watchService(installation, watching, signal)] as const;
      }),
    );
    return Object.fromEntries(watched) as Watched;
  } finally {
    idle.kill();
  }
}

async function watchService(
  { services, metrics, api }: Installation,
  { name, limitMiB, reference }: { name: string; limitMiB: number; reference: string },
  signal: AbortSignal,
): Promise<ServiceFigures> {
  const addresses = [`http://${metrics[name]}/healthz`, ...(name === 'api' ? [`${api.url}/healthz`] : [])];
  const figures: ServiceFigures = {
    restarts: 0,
    slowestHealthMs: 0,
    slowestIdleMs: 0,
    slowestLaterMs: 0,
    mostMiB: 0,
    limitMiB,
  };
  let pid = services.pid(name);
  while (!signal.aborted) {
    for (const address of addresses) {
      const [ms, idleMs] = await Promise.all([healthMs(address), healthMs(reference)]);
      figures.slowestHealthMs = Math.max(figures.slowestHealthMs, ms);
      figures.slowestIdleMs = Math.max(figures.slowestIdleMs, idleMs);
      figures.slowestLaterMs = Math.max(figures.slowestLaterMs, ms - idleMs);
    }
    const now = services.pid(name);
    if (now !== pid) figures.restarts += 1;
    pid = now;
    figures.mostMiB = Math.max(figures.mostMiB, now === undefined ? 0 : peakMiB(now));
    await delay(POLL_MS);
  }
  return figures;
}

async function healthMs(address: string): Promise<number> {
  const before = performance.now();
  try {
    const { ok } = await fetch(address, { signal: AbortSignal.timeout(SILENT_MS) });
    return ok ? Math.round(performance.now() - before) : SILENT_MS;
  } catch {
    return SILENT_MS;
  }
}

/** The most memory that a process has had. */
function peakMiB(pid: number): number {
  try {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib ?? 0) / 1024);
  } catch {
    // It has ended.
    return 0;
  }
}

/** The limits of the chart, in MiB. */
function memoryLimits(): Record<string, number> {
  const { services } = loadYaml<{
    services: Record<string, { resources: { limits: { memory: string } } }>;
  }>(readFileSync('infra/deploy/chart/values.yaml', 'utf8'));
  return Object.fromEntries(
    Object.entries(services).map(([name, { resources }]) => [name, mebibytes(resources.limits.memory)]),
  );
}

function mebibytes(text: string): number {
  const [, number, unit] = /^(\d+)([GM])i$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`the chart limits memory to "${text}"; this reads Gi and Mi`);
  return Number(number) * (unit === 'G' ? 1024 : 1);
}
