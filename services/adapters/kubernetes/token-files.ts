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

/** A kubeconfig whose users no longer name files of tokens, and those files by user. */
export interface WithoutTokenFiles {
  text: string;
  files: ReadonlyMap<string, string>;
}

/**
 * Takes the files of tokens out of a kubeconfig: the library does not know `tokenFile` at all, reads `token-file` once, and
 * that of its own `auth-provider` once a minute. The token of a ServiceAccount is renewed in its file every hour.
 * @throws for a text that is no YAML.
 */
export function withoutTokenFiles(text: string, folder: string): WithoutTokenFiles {
  const config = parseYaml(text) as { users?: KubeconfigUser[] | null } | null | undefined;
  const files = new Map<string, string>();
  const users = (config?.users ?? []).map(({ name, user, ...other }) => {
    const { tokenFile, 'token-file': hyphened, 'auth-provider': provider, ...rest } = user ?? {};
    const file = tokenFile ?? hyphened ?? provider?.config?.tokenFile;
    if (file === undefined) return { name, user, ...other };
    files.set(name, path.resolve(folder, file));
    return { name, user: rest, ...other };
  });
  return files.size === 0 ? { text, files } : { text: JSON.stringify({ ...config, users }), files };
}

/**
 * The token that stands in a file now; the last one while the file cannot be read or is empty, since whoever renews it may
 * be at it. @throws InputError when there never was one.
 */
export function tokenIn(file: string): () => string {
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
