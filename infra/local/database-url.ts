import { InputError } from '../../services/adapters/errors.ts';

/** The address without what must not be shown. */
export function withoutPassword(databaseUrl: string): string {
  const url = parsed(databaseUrl);
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

function parsed(databaseUrl: string): URL {
  try {
    return new URL(databaseUrl);
  } catch {
    throw new InputError(
      'DATABASE_URL is not an address of the form postgres://user:password@host:port/database',
    );
  }
}
