import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The workflow code as workers run it. */
export interface WorkflowBundle {
  /** Path of the file. */
  file: string;
  /**
   * Names the code, with the version of the SDK that runs it. What one build has begun only that build can go on with,
   * because a workflow is replayed; so another comment, test or dependency must not make another name.
   */
  build: string;
}

/** The libraries whose code goes into the bundle, or runs it. */
const LIBRARIES = [
  '@temporalio/worker',
  '@temporalio/workflow',
  '@temporalio/common',
  '@noble/hashes',
  'esbuild',
];

/** The workflow bundle of this source tree, made when it is not there yet: once, while packages are installed. */
export async function workflowBundle(root: string): Promise<WorkflowBundle> {
  const folder = join(root, 'build');
  const name = join(folder, `workflow-${sourcesDigest(root)}`);
  const [file, record] = [`${name}.js`, `${name}.json`];
  if (!existsSync(record)) {
    mkdirSync(folder, { recursive: true });
    // What makes it is loaded only then: a service starts without webpack.
    const { makeBundle } = await import('./make-bundle.ts');
    const { code, build } = await makeBundle(root, versionIn(root, '@temporalio/worker'));
    write(file, code);
    write(record, JSON.stringify({ build }));
  }
  const { build } = JSON.parse(readFileSync(record, 'utf8')) as { build: string };
  return { file, build };
}

/** Of all that a bundle is made of: says whether the one that there is is still right, and nothing else. */
function sourcesDigest(root: string): string {
  const hash = createHash('sha256');
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

/** Another process may be writing the same. */
function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
