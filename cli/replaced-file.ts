import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The path that a finished draft may be renamed to, so that a reader sees the old content or the whole new one. A symbolic link is
 * followed. Null for a path that must be written to directly, such as a device or a pipe.
 */
export function replacedFile(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined) return found.isFile() ? realpathSync(file) : null;
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? replacedFile(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
}
