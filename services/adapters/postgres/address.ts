import type { PostgresConfig } from '../config.ts';
import { InputError } from '../errors.ts';
import { hasValidEscapes, isLoopback } from '../network/address.ts';

/** The servers that an address names. */
export interface PostgresAddress {
  /** One address for each host, in order. */
  servers: readonly string[];
  /** True if the address excludes a standby with `target_session_attrs=read-write` or `primary`. */
  isWritable: boolean;
  /** The servers, the database and the user, for messages; never the password. */
  where: string;
}

const FORM = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/;

/**
 * Parses `postgres://user:password@host:port,host:port/database?…`, as libpq understands it. @throws InputError for
 * an invalid address, and when the connection would send the password and the rows in plain text.
 */
export function parseAddress({ DATABASE_URL, DATABASE_WITHOUT_TLS }: PostgresConfig): PostgresAddress {
  const address = parseUncheckedAddress(DATABASE_URL);
  if (DATABASE_WITHOUT_TLS !== 'true') for (const server of address.servers) requireTls(server);
  return address;
}

/** Parses an address of Postgres, and does not check whether it uses TLS. */
export function parseUncheckedAddress(text: string): PostgresAddress {
  const [, scheme = '', authority = '', rest = ''] = FORM.exec(text) ?? [];
  const end = authority.lastIndexOf('@') + 1;
  const login = authority.slice(0, end);
  const servers = authority
    .slice(end)
    .split(',')
    .map((host) => `${scheme}${login}${host}${rest}`);
  const urls = servers.map((server) => (URL.canParse(server) ? new URL(server) : null));
  const [first] = urls;
  if (scheme === '' || first === null || first === undefined || urls.includes(null))
    // The text may contain a password, so it is not shown.
    throw new InputError(
      'DATABASE_URL is not an address of the form postgres://user@host:port/database; several hosts are separated by commas',
    );
  const { username, password, pathname } = first;
  if (
    !hasValidEscapes(
      username,
      password,
      pathname,
      ...urls.map((url) => (url === null ? '' : encodedHost(url))),
    )
  )
    throw new InputError(
      'DATABASE_URL has a % that begins no character: write a percent sign as %25, also in the password',
    );
  const hosts = urls.map((url) => (url === null ? '' : `${decodedHost(url)}:${url.port || '5432'}`));
  return {
    servers,
    isWritable: requiresWritable(first),
    where: `${hosts.join(',')}${first.pathname} as "${first.username}"`,
  };
}

/** True if the address excludes a standby. */
function requiresWritable({ searchParams }: URL): boolean {
  const wanted = searchParams.get('target_session_attrs') ?? 'any';
  if (wanted === 'read-write' || wanted === 'primary') return true;
  if (wanted === 'any') return false;
  throw new InputError(
    `DATABASE_URL: target_session_attrs=${wanted} is not supported; available: any, primary, read-write`,
  );
}

/** The values of `sslmode` with which a connection to Postgres is always encrypted. */
const ENCRYPTED = new Set(['require', 'verify-ca', 'verify-full', 'no-verify']);

/** @throws InputError when an address names another machine and does not ask for TLS. */
function requireTls(address: string): void {
  const url = new URL(address);
  const host = decodedHost(url);
  const isEncrypted =
    ENCRYPTED.has(url.searchParams.get('sslmode') ?? '') || url.searchParams.get('ssl') === 'true';
  if (isEncrypted || host.startsWith('/') || isLoopback(host)) return;
  throw new InputError(
    `DATABASE_URL without TLS would send the password and all rows to ${host} in plain text: add ?sslmode=verify-full&sslrootcert=FILE to it, or set DATABASE_WITHOUT_TLS=true if you trust the network`,
  );
}

/** The host of an address; for a Unix socket, its folder. */
function decodedHost(url: URL): string {
  return decodeURIComponent(encodedHost(url));
}

function encodedHost({ hostname, searchParams }: URL): string {
  return hostname === '' ? (searchParams.get('host') ?? 'localhost') : hostname;
}
