import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, and the missing directories above it. `mkdirSync` with `recursive` never returns in a directory
 * that allows no new entry, such as /proc.
 */
export function makeDirectory(path: string, options: { mode?: number } = {}): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeDirectory(parent, options);
  try {
    mkdirSync(path, options);
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
