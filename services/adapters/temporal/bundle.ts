import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The workflow code that workers run. */
export interface WorkflowBundle {
  /** The path of the bundle file. */
  file: string;
  /**
   * The digest of the code and of the SDK version that runs the code. Because workflows are replayed, only the build that started
   * a run can continue it. The digest must therefore not depend on comments, tests or unrelated dependencies.
   */
  build: string;
}

/** Libraries whose code is in the bundle, or executes the bundle. */
const LIBRARIES = [
  '@temporalio/worker',
  '@temporalio/workflow',
  '@temporalio/common',
  '@noble/hashes',
  'esbuild',
];

/**
 * Modules that a worker evaluates once instead of in each run, with their imports: these modules have no state of a
 * run, and must not import Temporal.
 */
const PRELOADED = [
  'cron-job/core.ts',
  'cron-job/decide/zones.ts',
  'cron-job/record/state-format.ts',
  'cron-job/settings.ts',
  'cron-job/step.ts',
  'job/core.ts',
  'job/decide/after-the-end.ts',
  'job/record/state-format.ts',
  'job/step.ts',
  'safe-to-repeat.ts',
];

/** The name of the bundle in a tree without sources (infra/deploy/image/main.ts). */
export const RELEASED_BUNDLE = 'workflow';

/** Every Node that may run a worker supports this version of ECMAScript (`engines` in package.json). */
const TARGET = 'es2022';

/**
 * The workflow bundle of this source tree. The bundle is built if it does not exist yet, normally once, while packages
 * are installed. A tree without sources, as in an image, contains its bundle.
 */
export async function workflowBundle(root: string): Promise<WorkflowBundle> {
  const folder = join(root, 'build');
  const hasSources = existsSync(join(root, 'workflows'));
  const name = join(folder, hasSources ? `workflow-${sourcesDigest(root)}` : RELEASED_BUNDLE);
  const [file, record] = [`${name}.js`, `${name}.json`];
  if (!existsSync(record)) {
    mkdirSync(folder, { recursive: true });
    // This import is dynamic, so that services start without loading webpack.
    const { makeBundle } = await import('./make-bundle.ts');
    const { code, build } = await makeBundle(root, {
      sdk: versionIn(root, '@temporalio/worker'),
      preloaded: PRELOADED,
      target: TARGET,
    });
    write(file, code);
    write(record, JSON.stringify({ build }));
  }
  const { build } = JSON.parse(readFileSync(record, 'utf8')) as { build: string };
  return { file, build };
}

/** The digest of all inputs of a bundle, which shows whether the existing bundle is up to date. */
function sourcesDigest(root: string): string {
  const hash = createHash('sha256').update([TARGET, ...PRELOADED].join());
  const workflows = join(root, 'workflows');
  const files = readdirSync(workflows, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(join(workflows, name)));
  for (const library of LIBRARIES) hash.update(`${library} ${versionIn(root, library)}`);
  return hash.digest('hex').slice(0, 16);
}

function versionIn(root: string, library: string): string {
  const manifest = join(root, 'node_modules', library, 'package.json');
  return (createRequire(import.meta.url)(manifest) as { version: string }).version;
}

/** Writes the file atomically, because another process may write the same file. */
function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
