import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { nodeVersionIn } from './dockerfile.ts';
import { nodeRelease } from './node-release.ts';

// Runs a program on the version of Node that the image runs on, as do the programs that it starts. The arguments are those of
// `node`.
const node = await nodeRelease(nodeVersionIn(join(PACKAGE_DIR, 'Dockerfile')));
const program = spawn(join(node, 'node'), process.argv.slice(2), {
  stdio: 'inherit',
  env: { ...process.env, PATH: [node, process.env['PATH']].join(delimiter) },
});
program.once('exit', (code) => (process.exitCode = code ?? 1));
