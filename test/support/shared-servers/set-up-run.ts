import { execFileSync } from 'node:child_process';
import { reapTestServers } from '../reap-test-servers.ts';
import { serveRun, type RunServers } from './serve-run.ts';

let run: RunServers | undefined;

/**
 * Before the tests on real servers: ends what a killed run has left, compiles the present sources for the processes that tests
 * start, and serves the servers that files share.
 */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export of a globalSetup file
export default async function setUpRun(): Promise<void> {
  // No test reaches for a public host.
  process.env['JOBLEDGER_TOOLS'] ??= 'build';
  await reapTestServers((line) => void process.stderr.write(`${line}\n`));
  execFileSync('node', ['infra/compile.mjs']);
  run = await serveRun();
}

/** For the globalTeardown file, which jest loads into the same process. */
export async function tearDownRun(): Promise<void> {
  await run?.stop();
}
