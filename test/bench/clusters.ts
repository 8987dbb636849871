import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kafkaVariables } from '../../infra/local/state/addresses.ts';
import { startLocalServers } from '../../infra/local/local-servers.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { startStandInClusters } from '../support/stand-in-clusters.ts';
import { cpuSeconds, peakMegabytes, resetPeakMemory } from './controller/meters/processes.ts';

/**
 * `npm run bench:clusters [-- --clusters 1,10,50 --seconds 60]`: memory and CPU of each service while it watches that many
 * idle clusters, which are stand-ins: one HTTP server that lists nothing and sends bookmarks once a minute, as API servers
 * do. On servers of its own.
 */
const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '1,10,50' },
    seconds: { type: 'string', default: '60' },
  },
});
const SETTLE_MS = 20_000;
const BOOKMARK_MS = 60_000;
const WATCHED = ['ingester', 'dispatcher', 'worker', 'projector'] as const;

const seconds = Number(values.seconds);
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-bench-'));
const at = (...parts: string[]): string => join(stateDir, ...parts);
const clusters = await startStandInClusters(BOOKMARK_MS);
const servers = await startLocalServers({ stateDir, postgres: true, kafka: true, temporal: true });
try {
  for (const count of values.clusters.split(',').map(Number)) await measured(count);
} finally {
  await servers.stop();
  await clusters.stop();
  rmSync(stateDir, { recursive: true, force: true });
}

async function measured(count: number): Promise<void> {
  const names = Array.from({ length: count }, (_none, number) => `cluster-${number}`);
  writeFileSync(at('kubeconfig'), clusters.kubeconfig(names));
  const services = createSupervisor({
    runDir: at('run', 'services'),
    logsDir: at('logs'),
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const { databaseUrl, temporalAddress, temporalNamespace } = servers.addresses;
  const specs = serviceChildren({
    ...process.env,
    ...kafkaVariables(servers.addresses),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
    JOBLEDGER_KUBECONFIG: at('kubeconfig'),
    JOBLEDGER_CONTEXTS: names.join(','),
  }).filter(({ name }) => WATCHED.some((each) => each === name));
  try {
    const begin = performance.now();
    await Promise.all(specs.map((spec) => services.start(spec)));
    const started = (performance.now() - begin) / 1000;
    await sleep(SETTLE_MS);
    const processes = [
      ...WATCHED.map((name) => ({ name, pid: services.pid(name) ?? 0 })),
      ...servers.names.map((name) => ({ name, pid: servers.pid(name) ?? 0 })),
    ];
    resetPeakMemory(processes);
    const before = cpuSeconds(processes);
    await sleep(seconds * 1000);
    const [after, memory] = [cpuSeconds(processes), peakMegabytes(processes)];
    process.stdout.write(`${count} clusters, ready after ${started.toFixed(1)} s; over ${seconds} s:\n`);
    for (const { name } of processes) {
      const cpu = ((after[name] ?? 0) - (before[name] ?? 0)) / seconds;
      process.stdout.write(
        `  ${name.padEnd(12)} ${(memory[name] ?? 0).toFixed(0).padStart(6)} MB ${(cpu * 100).toFixed(2).padStart(7)} % of a core\n`,
      );
    }
  } finally {
    await services.stop();
  }
}
