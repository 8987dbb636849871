import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as ClientNode from '@kubernetes/client-node';
import type * as Esbuild from 'esbuild';
import type * as Yaml from 'yaml';
import { PACKAGE_DIR } from '../process/package-dir.ts';

/** The parts of Kubernetes' own client library that we use, and the parser of kubeconfigs and manifests. */
export type ClientLibrary = Pick<typeof ClientNode, 'KubeConfig'> &
  Pick<typeof Yaml, 'parse' | 'parseAllDocuments'>;

const USED = `export { KubeConfig } from '@kubernetes/client-node';
export { parse, parseAllDocuments } from 'yaml';`;
const require = createRequire(import.meta.url);

/**
 * Kubernetes' client library, bundled into one file: its 900 modules, loaded one by one, would cost every process two
 * seconds at its start. `npm ci` makes the bundle; this module makes the bundle when it is missing.
 */
export function clientLibrary(): ClientLibrary {
  const file = clientLibraryFile();
  if (!existsSync(file)) makeBundle(file);
  return require(file) as ClientLibrary;
}

/** The path of the bundle. */
export function clientLibraryFile(): string {
  // The bundle depends on the versions of all packages.
  const lockfile = readFileSync(join(PACKAGE_DIR, 'package-lock.json'));
  const digest = createHash('sha256').update(USED).update(lockfile).digest('hex').slice(0, 16);
  return join(PACKAGE_DIR, 'build', `kubernetes-client-${digest}.cjs`);
}

function makeBundle(file: string): void {
  // The library is bundled only on demand, so that a service starts without the bundler.
  const { buildSync } = require('esbuild') as typeof Esbuild;
  mkdirSync(join(PACKAGE_DIR, 'build'), { recursive: true });
  // Another process may be writing the same bundle.
  const draft = `${file}.${process.pid}`;
  buildSync({
    stdin: { contents: USED, resolveDir: PACKAGE_DIR },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // The HTTP client that every process has loaded anyway.
    external: ['undici'],
    outfile: draft,
    logLevel: 'error',
  });
  renameSync(draft, file);
}
