import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = join(ROOT, 'build');
const LINK = join(BUILD, 'programs');

/** Every program that runs as a process or a thread of its own. */
const PROGRAMS = [
  'services/ingester/main.ts',
  'services/dispatcher/main.ts',
  'services/worker/main.ts',
  'services/projector/main.ts',
  'services/projector/rebuild/thread.ts',
  'services/api/main.ts',
  'services/cli/main.ts',
  'infra/node-agent/main.ts',
  'infra/prepare.ts',
  'demo/main.ts',
];
const SOURCES = ['services', 'workflows', 'infra', 'demo'];

/**
 * Compiles the programs to JavaScript in `build/programs`, unless they were compiled from the present sources. Compiled
 * programs start with a third of the CPU time. This file is JavaScript, because it runs before anything is compiled.
 */
export async function compile() {
  const name = `programs-${sourcesDigest()}`;
  const folder = join(BUILD, name);
  if (!existsSync(folder)) await compileTo(folder);
  // Running processes go on loading modules from the folder that they started from.
  if (!isLinked(name)) link(name);
}

function isLinked(name) {
  try {
    return readlinkSync(LINK) === name;
  } catch {
    return false;
  }
}

function link(name) {
  const draft = `${LINK}.${process.pid}`;
  symlinkSync(name, draft);
  renameSync(draft, LINK);
}

async function compileTo(folder) {
  // Imported only here: what is compiled starts without the compiler.
  const { build } = await import('esbuild');
  // Atomic, because another process may compile the same.
  const draft = `${folder}.${process.pid}`;
  await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.filter((program) => existsSync(join(ROOT, program))),
    outbase: '.',
    outdir: draft,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true });
  }
}

/**
 * Of names, sizes and times in seconds (images keep no finer ones): reading every source would take longer than the start
 * itself.
 */
function sourcesDigest() {
  const hash = createHash('sha256');
  for (const file of sourceFiles()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${Math.floor(mtimeMs / 1000)}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function sourceFiles() {
  const files = SOURCES.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .filter((name) => /\.m?[jt]s$/.test(name))
      .map((name) => join(folder, name)),
  );
  return [...files.toSorted((a, b) => a.localeCompare(b, 'en')), 'package-lock.json'];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await compile();
