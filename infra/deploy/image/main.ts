import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { clientLibraryFile } from '../../../services/adapters/kubernetes/client-library.ts';
import { RELEASED_BUNDLE, workflowBundle } from '../../../services/adapters/temporal/bundle.ts';

/** Files and folders that are copied unchanged. The lock file lists the contents of `node_modules`. */
const FILES = ['package.json', 'package-lock.json', 'LICENSE', join('services', 'projector', 'migrations')];

/** Compiled programs that only a source tree runs. */
const NOT_RELEASED = ['demo', 'infra'];

/** `cli/jobledger.mjs` without a compiler. */
const ENTRY = `#!/usr/bin/env node
import { main } from './build/programs/cli/main.js';

await main(process.argv);
`;

// `npm run image-tree -- FOLDER` is a step of the Dockerfile.
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('name the folder to write: npm run image-tree -- FOLDER');
await writeTree(PACKAGE_DIR, resolve(target));

/**
 * Writes the parts of a compiled source tree that run in production to the folder, except `node_modules`: the compiled programs,
 * the workflow bundle, the page and the migrations. @throws if the source tree is not compiled.
 */
async function writeTree(root: string, folder: string): Promise<void> {
  mkdirSync(join(folder, 'build'), { recursive: true });
  for (const name of FILES) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['programs', 'page'])
    copyReleased(join(root, 'build', name), join(folder, 'build', name));
  const library = clientLibraryFile();
  cpSync(library, join(folder, relative(root, library)));
  const { file, build } = await workflowBundle(root);
  cpSync(file, join(folder, 'build', `${RELEASED_BUNDLE}.js`));
  writeFileSync(join(folder, 'build', `${RELEASED_BUNDLE}.json`), JSON.stringify({ build }));
  writeFileSync(join(folder, 'jobledger.mjs'), ENTRY, { mode: 0o755 });
}

/** Copies the folder that a link names. */
function copyReleased(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is missing; compile first: npm run prepare`);
  mkdirSync(to);
  for (const name of readdirSync(from).filter((each) => !NOT_RELEASED.includes(each)))
    cpSync(join(from, name), join(to, name), { recursive: true });
}
