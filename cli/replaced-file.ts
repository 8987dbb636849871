import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The path to which a finished draft may be renamed, so that a reader sees either the old content or all of the new content. The function follows a
 * symbolic link. The result is null for a path that must be written directly, such as a device or a pipe.
 */
export function replacedFile(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined) return found.isFile() ? realpathSync(file) : null;
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? replacedFile(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
}
