import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../errors.ts';
import { parseYaml } from './yaml.ts';

interface KubeconfigUser {
  name: string;
  user?: {
    tokenFile?: string;
    'token-file'?: string;
    'auth-provider'?: { config?: { tokenFile?: string } };
    [field: string]: unknown;
  };
}

/** A kubeconfig as JSON, without its token files, and the paths of the token files by user. */
export interface WithoutTokenFiles {
  text: string;
  files: ReadonlyMap<string, string>;
}

/**
 * Removes token files from a kubeconfig, because the client library does not know `tokenFile`, reads `token-file` only
 * once, and reads the token file of its own `auth-provider` only once a minute. The token of a ServiceAccount is
 * renewed in its file every hour. The result is JSON: the client library's own parser of YAML knows no merge keys.
 * @throws when the text is no YAML object.
 */
export function withoutTokenFiles(text: string, folder: string): WithoutTokenFiles {
  const config = parseYaml(text) as { users?: KubeconfigUser[] | null } | null;
  if (typeof config !== 'object' || config === null) throw new TypeError('no object');
  const files = new Map<string, string>();
  const users = (config.users ?? []).map(({ name, user, ...other }) => {
    const { tokenFile, 'token-file': hyphened, 'auth-provider': provider, ...rest } = user ?? {};
    const file = tokenFile ?? hyphened ?? provider?.config?.tokenFile;
    if (file === undefined) return { name, user, ...other };
    files.set(name, path.resolve(folder, file));
    return { name, user: rest, ...other };
  });
  return { text: JSON.stringify({ ...config, users }), files };
}

/**
 * Returns a function that reads the current token from a file. While the file is empty or unreadable, possibly
 * because it is being renewed, the last token is returned. @throws InputError when no token was ever read.
 */
export function createTokenReader(file: string): () => string {
  let last = '';
  return () => {
    try {
      last = readFileSync(file, 'utf8').trim() || last;
    } catch (cause) {
      if (last === '') throw new InputError(`the token file ${file} cannot be read`, { cause });
    }
    if (last === '') throw new InputError(`the token file ${file} is empty`);
    return last;
  };
}
