import { InputError } from '../../services/adapters/errors.ts';

/**
 * The URL without its password and parameters, fit for messages.
 * @throws InputError when it is not a URL.
 */
export function withoutPassword(databaseUrl: string): string {
  const url = parsed(databaseUrl);
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

function parsed(databaseUrl: string): URL {
  try {
    return new URL(databaseUrl);
  } catch {
    throw new InputError('DATABASE_URL is not a URL of the form postgres://user:password@host:port/database');
  }
}
