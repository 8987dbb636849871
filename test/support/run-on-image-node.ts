import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { nodeVersionIn } from './dockerfile.ts';
import { nodeRelease } from './node-release.ts';

// `npm run test:image-node`: the pure tests on the version of Node that the image runs on. Arguments are jest's.
const node = await nodeRelease(nodeVersionIn(join(PACKAGE_DIR, 'Dockerfile')));
const jest = join(PACKAGE_DIR, 'node_modules', 'jest', 'bin', 'jest.js');
const tests = spawn(join(node, 'node'), [jest, ...process.argv.slice(2), '--selectProjects', 'pure'], {
  stdio: 'inherit',
  env: { ...process.env, PATH: [node, process.env['PATH']].join(delimiter) },
});
tests.once('exit', (code) => (process.exitCode = code ?? 1));
