import { execFileSync } from 'node:child_process';
import { serveRun, type RunServers } from './serve-run.ts';

let run: RunServers | undefined;

/** Before the tests on real servers: the processes that they start run the present sources. */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export of a globalSetup file
export default async function setUpRun(): Promise<void> {
  execFileSync('node', ['infra/compile.mjs']);
  run = await serveRun();
}

/** For the globalTeardown file, which jest loads into the same process. */
export async function tearDownRun(): Promise<void> {
  await run?.stop();
}
