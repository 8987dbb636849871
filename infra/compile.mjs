// oxlint-disable-next-line import/no-unassigned-import -- it ends the program on an older Node
import './node-version.mjs';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = dirname(import.meta.dirname);
const BUILD = join(ROOT, 'build');

/** Every program that runs as a process or a thread of its own. */
const PROGRAMS = [
  'services/ingester/main.ts',
  'services/dispatcher/main.ts',
  'services/worker/main.ts',
  'services/projector/main.ts',
  'services/projector/rebuild/thread.ts',
  'services/api/main.ts',
  'services/api/folds/main.ts',
  'cli/main.ts',
  'cli/verbs/up/services-together.ts',
  'infra/local/node-agent/main.ts',
  'infra/prepare.ts',
  'demo/main.ts',
];
const SOURCES = ['cli', 'services', 'workflows', 'infra', 'demo'];
/** The page, and what it imports of the rest. */
const PAGE_SOURCES = ['page', 'services/read-model'];

/**
 * Compiles the programs to JavaScript in `build/programs`, and the page to `build/page`, unless they were compiled from the
 * present sources. Compiled programs start with a third of the CPU time. This file is JavaScript, because it runs before
 * anything is compiled.
 */
export async function compile() {
  await compileOnce('programs', sourcesDigest(SOURCES), compilePrograms);
  if (canBuildPage()) await compileOnce('page', sourcesDigest(PAGE_SOURCES), buildPage);
}

/** Calls `build` with a folder to write, unless there is one for the digest; then `build/<what>` links to it. */
async function compileOnce(what, digest, build) {
  const name = `${what}-${digest}`;
  const folder = join(BUILD, name);
  // Atomic, because another process may compile the same.
  if (!existsSync(folder)) await replaceBy(`${folder}.${process.pid}`, folder, build);
  // Running processes go on loading modules from the folder that they started from.
  const place = join(BUILD, what);
  if (!isLinked(place, name)) link(place, name);
}

function isLinked(place, name) {
  try {
    return readlinkSync(place) === name;
  } catch {
    return false;
  }
}

function link(place, name) {
  const draft = `${place}.${process.pid}`;
  symlinkSync(name, draft);
  renameSync(draft, place);
}

async function replaceBy(draft, folder, build) {
  await build(draft);
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true });
  }
}

async function compilePrograms(folder) {
  // Imported only here: what is compiled starts without the compiler.
  const { build } = await import('esbuild').catch(() => {
    throw new Error('nothing is compiled yet, and the compiler is missing: run npm ci without --omit=dev');
  });
  const { stampOfSources } = await import('../services/installation/stamp.ts');
  await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.filter((program) => existsSync(join(ROOT, program))),
    outbase: '.',
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    define: { COMPILED_STAMP: JSON.stringify(stampOfSources(ROOT)) },
    logLevel: 'error',
  });
}

/** Vite is a development dependency: an installation without those has a page only when one was built before. */
function canBuildPage() {
  return existsSync(join(ROOT, 'page')) && existsSync(join(ROOT, 'node_modules', 'vite'));
}

async function buildPage(folder) {
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  // Also when a test, with its own NODE_ENV, is the first to need the page.
  process.env.NODE_ENV = 'production';
  await build({
    root: join(ROOT, 'page'),
    configFile: false,
    // Relative, so that a proxy may serve it below a path.
    base: './',
    logLevel: 'error',
    build: { outDir: folder, modulePreload: { polyfill: false }, assetsInlineLimit: 0, target: 'es2023' },
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
}

/**
 * Of names, sizes and times in seconds (images keep no finer ones): reading every source would take longer than the start
 * itself.
 */
function sourcesDigest(folders) {
  const hash = createHash('sha256');
  for (const file of sourceFiles(folders)) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${Math.floor(mtimeMs / 1000)}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function sourceFiles(folders) {
  const files = folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true })
        .filter((name) => /\.(m?[jt]s|tsx|css|html|svg|sql)$/.test(name))
        .map((name) => join(folder, name)),
    );
  return [...files.toSorted((a, b) => a.localeCompare(b, 'en')), 'package-lock.json'];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await compile();
