import { isIPv4, isIPv6 } from 'node:net';

/** Where a server of ours listens; port 0 takes a free one. */
export interface Address {
  host: string;
  port: number;
}

/** `host:port`, the host of an IPv6 address in brackets; null for what is none. */
export function addressIn(text: string): Address | null {
  const match = /^(?:\[([\da-f:]+)\]|([^:[\]/@]+)):(\d{1,5})$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65_535 ? null : { host, port };
}

export function textOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Only programs of this machine reach it. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return isIPv6(host) ? host === '::1' : host === 'localhost';
}
