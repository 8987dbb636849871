import { join } from 'node:path';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { writeCommandLine } from './package-tree.ts';

// `npm run command-line` writes the npm package `jobledger` to build/command-line.

const folder = join(PACKAGE_DIR, 'build', 'command-line');
const { bytes } = await writeCommandLine(PACKAGE_DIR, folder);
process.stdout.write(`${folder}, ${Math.round(bytes / 1000)} kB of programs\n`);
