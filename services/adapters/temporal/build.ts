import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names the workflow code of a source tree, with the libraries that it runs on: a digest of both. What one build has
 * begun only that build can go on with, because a workflow is replayed.
 */
export function workflowBuild(root: string): string {
  return digestOfFiles(join(root, 'workflows'), join(root, 'package-lock.json'));
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
