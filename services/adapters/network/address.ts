import { isIPv4, isIPv6 } from 'node:net';

/** The address of one of our servers; port 0 takes a free port. */
export interface Address {
  host: string;
  port: number;
}

/** Parses `host:port`, with the host of an IPv6 address in brackets. Returns null for any other text. */
export function parseHostPort(text: string): Address | null {
  const match = /^(?:\[([\da-f:]+)\]|([^:[\]/@]+)):(\d{1,5})$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65_535 ? null : { host, port };
}

export function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** True when other programs can read the traffic to an HTTP URL: the URL does not use TLS and names another machine. */
export function isReadableByOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !isLoopback(hostname);
}

/** True when only programs on this machine can reach the host. An IPv6 address may be in brackets, as in a URL. */
export function isLoopback(text: string): boolean {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(host)) return host.startsWith('127.');
  return isIPv6(host) ? host === '::1' : host === 'localhost';
}

/** True when the text is an address, or a network of addresses such as 10.1.0.0/16, but not all addresses. */
export function isNetwork(text: string): boolean {
  const [host = '', bits, ...more] = text.split('/');
  const most = isIPv4(host) ? 32 : isIPv6(host) ? 128 : 0;
  if (more.length > 0 || most === 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
}

/** True when each percent sign in these parts of a URL begins an encoded character; decoding any other part throws. */
export function hasValidEscapes(...parts: readonly string[]): boolean {
  try {
    for (const part of parts) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
