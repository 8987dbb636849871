import { parseUncheckedAddress } from '../../services/adapters/postgres/address.ts';

/**
 * The URL without its password and parameters, fit for messages.
 * @throws InputError when it is not a URL.
 */
export function withoutPassword(databaseUrl: string): string {
  const urls = parseUncheckedAddress(databaseUrl).servers.map((server) => new URL(server));
  const [{ protocol, username, pathname } = new URL('postgres:')] = urls;
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${urls.map(({ host }) => host).join(',')}${pathname}`;
}
