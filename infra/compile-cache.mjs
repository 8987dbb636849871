import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Compiled code of libraries, in the user's own cache: others could plant code in a shared one. Without a cache that can be written,
 * each start compiles them. Node itself tries for ever to make a directory where none can be made, as below /proc.
 */
export function useCompileCache() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const own = join(cache, 'jobledger');
  const compiled = join(own, 'compiled');
  if ([cache, own, compiled].every(exists)) module.enableCompileCache?.(compiled);
}

/** Makes the directory if it is missing. */
function exists(path) {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return existsSync(path);
  }
}
