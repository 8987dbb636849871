import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/**
 * The path of the workflow bundle of this source tree, built when it is not there yet. Its name holds a digest of the
 * sources, so that a changed core is never served by an old bundle.
 */
export async function workflowBundle(root: string): Promise<string> {
  const workflows = join(root, 'workflows');
  const folder = join(root, 'build');
  const file = join(
    folder,
    `workflow-bundle-${digestOfFiles(workflows, join(root, 'package-lock.json'))}.js`,
  );
  if (existsSync(file)) return file;
  const { code } = await bundleWorkflowCode({ workflowsPath: join(workflows, 'index.ts') });
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, file);
  return file;
}

function digestOfFiles(folder: string, ...others: string[]): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(join(folder, name)));
  for (const path of others) if (existsSync(path)) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}
