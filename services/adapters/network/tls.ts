import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { errorMessage } from '../errors.ts';

/** Codes of Node and OpenSSL for a handshake that failed because of a certificate or a protocol. */
const HANDSHAKE =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * The reason why a TLS handshake failed, from an error or one of its causes; null when the error has another cause.
 */
export function handshakeFailure(error: unknown): string | null {
  for (let each = error; each instanceof Error; each = errorCause(each)) {
    const { code } = each as { code?: unknown };
    if (typeof code === 'string' && HANDSHAKE.test(code)) return `${each.message} (${code})`;
  }
  return null;
}

/** The cause of an error, for which kafkajs uses another property. */
function errorCause(error: Error): unknown {
  return error.cause ?? (error as { originalError?: unknown }).originalError;
}

const PROBE_MS = 2000;

/**
 * Tries a handshake with a server that speaks first, as HTTP/2 does, for a client library that does not give the cause of a
 * failure. Returns null if the server speaks TLS, or no server answers.
 */
export async function probeHandshake(address: string, options: ConnectionOptions): Promise<string | null> {
  // The module is loaded only here, because callers of an API need only the text for a failure.
  const { connect } = await import('node:tls');
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const named = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: PROBE_MS, ...named, ...options });
    const done = (failure: string | null): void => {
      socket.destroy();
      resolve(failure);
    };
    // A server refuses a client's certificate only after the client's side of the handshake.
    socket.once('data', () => done(null));
    socket.once('timeout', () => done(null));
    socket.once('error', (error) =>
      done(isUnreachable(error) ? null : (handshakeFailure(error) ?? errorMessage(error))),
    );
    socket.once('close', () => done('the server closed the connection'));
  });
}

function isUnreachable(error: Error): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)$/.test((error as { code?: string }).code ?? '');
}
