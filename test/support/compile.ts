import { execFileSync } from 'node:child_process';

/** Before the tests on real servers: the processes that they start run the present sources. */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export of a globalSetup file
export default function compilePrograms(): void {
  execFileSync('node', ['infra/compile.mjs']);
}
