import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { InputError } from '../../../adapters/errors.ts';

const RETRY_MS = 500;
const REMIND_MS = 10_000;

/**
 * Waits until one of the addresses accepts a connection, and reports that it waits.
 * @throws InputError when an address is not `host:port`.
 */
export async function waitUntilReachable(
  server: { readonly name: string; readonly variable: string; readonly addresses: string },
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const addresses = server.addresses
    .split(',')
    .map((address) => hostAndPort(address.trim(), server.variable));
  for (let reminded = 0; ;) {
    const results = await Promise.all(addresses.map(connects));
    if (results.includes(true)) return;
    if (Date.now() - reminded >= REMIND_MS) {
      say(`${server.name} at ${server.addresses} does not answer; waiting for it`);
      reminded = Date.now();
    }
    await delay(RETRY_MS, undefined, { signal });
  }
}

function hostAndPort(address: string, variable: string): { host: string; port: number } {
  const match = /^(?:[a-z]+:\/\/)?\[?([^\]/]+?)\]?:(\d+)$/i.exec(address);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port < 1 || port > 65_535) {
    throw new InputError(`${variable}: "${address}" is not an address of the form host:port`);
  }
  return { host: match[1], port };
}

function connects(at: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ ...at, timeout: 3000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
