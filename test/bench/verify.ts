import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { kafkaVariables } from '../../infra/local/state/addresses.ts';
import { startLocalServers } from '../../infra/local/local-servers.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { fillKafka } from './ledger/fill.ts';
import { generateLedger } from './ledger/generate.ts';

/**
 * `npm run bench:verify -- [--events N] [--state-dir DIR] [-- ARGUMENTS]`: rate and highest resident memory of
 * `jobledger admin verify --all` on a generated ledger, on a Kafka of its own. With `--state-dir` the ledger is kept there and
 * used again. The arguments after `--` replace `--all`. Memory is read from /proc, so on Linux only.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string', default: '500000' },
    'state-dir': { type: 'string' },
  },
});
const events = Number(values.events);
const stateDir = values['state-dir'] ?? mkdtempSync(join(tmpdir(), 'jobledger-bench-'));
const filled = join(stateDir, 'filled');
const servers = await startLocalServers({ stateDir, kafka: true });
try {
  const environment = { ...process.env, ...kafkaVariables(servers.addresses) };
  if (!existsSync(filled)) {
    const log = createLog('bench');
    log.level = 'silent';
    const ledger = await generateLedger({ events });
    await fillKafka(readConfig(kafkaEnvironment, environment), ledger, { log, report: () => undefined });
    writeFileSync(filled, String(events));
  }
  await measured(positionals.length === 0 ? ['--all'] : positionals, environment);
} finally {
  await servers.stop();
  if (values['state-dir'] === undefined) rmSync(stateDir, { recursive: true, force: true });
}

async function measured(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const begin = performance.now();
  const child = spawn('node', ['cli/jobledger.mjs', 'admin', 'verify', ...args], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, residentPeak(child.pid))), 100);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  const seconds = (performance.now() - begin) / 1000;
  const records = Number(readFileSync(filled, 'utf8'));
  process.stdout.write(
    `${records} records in ${seconds.toFixed(1)} s, ${(records / seconds).toFixed(0)} a second; ${(peak / 1024).toFixed(0)} MiB resident at most; exit status ${String(code)}\n`,
  );
}

/** Kibibytes: the highest resident memory of a process so far. */
function residentPeak(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
