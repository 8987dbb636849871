import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowBuild } from './build.ts';

/**
 * The path of the workflow bundle of this source tree, built when it is not there yet. Its name holds the build, so
 * that a changed core is never served by an old bundle.
 */
export async function workflowBundle(root: string): Promise<string> {
  const folder = join(root, 'build');
  const file = join(folder, `workflow-bundle-${workflowBuild(root)}.js`);
  if (existsSync(file)) return file;
  const { code } = await bundleWorkflowCode({ workflowsPath: join(root, 'workflows', 'index.ts') });
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, file);
  return file;
}
