import net from 'node:net';
import { InputError } from '../../../services/adapters/errors.ts';
import { retry } from '../../../services/adapters/waiting/retry.ts';

/** The number of attempts between two reports. */
const REMIND_EVERY = 5;

/**
 * Waits until one of the addresses accepts a connection, and reports the wait. @throws InputError when an address is
 * not `host:port`.
 */
export async function waitUntilReachable(
  server: { readonly name: string; readonly variable: string; readonly addresses: string },
  { report, signal }: { report: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const addresses = server.addresses
    .split(',')
    .map((address) => hostAndPort(address.trim(), server.variable));
  await retry(() => Promise.any(addresses.map(connect)), {
    signal,
    onFailedAttempt: (_, failures) => {
      if (failures % REMIND_EVERY === 1)
        report(`${server.name} at ${server.addresses} does not answer; waiting for it`);
    },
  });
}

/** Parses an address of a variable. @throws InputError. */
function hostAndPort(address: string, variable: string): { host: string; port: number } {
  const match = /^(?:[a-z]+:\/\/)?\[?([^\]/]+?)\]?:(\d+)$/i.exec(address);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port < 1 || port > 65_535) {
    throw new InputError(`${variable}: "${address}" is not an address of the form host:port`);
  }
  return { host: match[1], port };
}

/** Resolves when the address accepts a connection, and closes the connection. */
function connect(at: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ ...at, timeout: 3000 });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}
