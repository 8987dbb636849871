import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The digest of everything that the page is made of, as the pictures of the documentation show it. */
export function pageDigest(root: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'page'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  for (const file of files) hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Beside the pictures: the digest of the page that they show. */
export const DIGEST_FILE = 'of-page.txt';
