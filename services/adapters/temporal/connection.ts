import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { readSettingFile, type TemporalConfig } from '../config.ts';
import { InputError, errorMessage, UnavailableError } from '../errors.ts';
import { probeHandshake } from '../network/tls.ts';
import { silentLog, type Log } from '../process/log.ts';
import { gzipCodec } from './gzip-codec.ts';
import { reportProblems } from './problems.ts';

/** Compresses payloads. Clients and workers must use the same converter. */
export const dataConverter = { payloadCodecs: [gzipCodec] };

/** Codes of gRPC. */
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

interface Address {
  address: string;
  tls?: NonNullable<ConnectionOptions['tls']>;
  apiKey?: string;
}

/** The address and the credentials, for the connections of clients and workers. @throws InputError if only one of the certificate and its key is set, or a file cannot be read. */
export function connectionOptions(config: TemporalConfig): Address {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key } = config;
  if ((cert === undefined) !== (key === undefined))
    throw new InputError('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together');
  const clientCertPair =
    cert === undefined || key === undefined
      ? {}
      : {
          clientCertPair: {
            crt: readSettingFile('TEMPORAL_TLS_CERT', cert),
            key: readSettingFile('TEMPORAL_TLS_KEY', key),
          },
        };
  const root = ca === undefined ? {} : { serverRootCACertificate: readSettingFile('TEMPORAL_TLS_CA', ca) };
  const usesTls =
    config.TEMPORAL_TLS === 'true' ||
    ca !== undefined ||
    cert !== undefined ||
    config.TEMPORAL_API_KEY !== undefined;
  return {
    address: config.TEMPORAL_ADDRESS,
    ...(usesTls && { tls: { ...root, ...clientCertPair } }),
    ...(config.TEMPORAL_API_KEY !== undefined && { apiKey: config.TEMPORAL_API_KEY }),
  };
}

/**
 * The error to report for a failed connection: an InputError if Temporal refused our credentials or a certificate, or if `error` is
 * one; undefined for any other failure, which may be temporary. Tries a TLS handshake, because the library does not tell its cause.
 */
export async function explainRefusal(
  error: unknown,
  config: TemporalConfig,
): Promise<InputError | undefined> {
  if (error instanceof InputError) return error;
  const temporal = `Temporal at ${config.TEMPORAL_ADDRESS}`;
  const { code } = (error instanceof Error ? (error.cause ?? error) : {}) as { code?: unknown };
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED)
    return new InputError(
      `${temporal} refuses our credentials: ${errorMessage(error)}; check TEMPORAL_API_KEY`,
    );
  const { tls } = connectionOptions(config);
  if (typeof tls !== 'object') return undefined;
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls ?? {};
  const handshake = await probeHandshake(config.TEMPORAL_ADDRESS, {
    ALPNProtocols: ['h2'],
    ...(ca && { ca: Buffer.from(ca) }),
    ...(pair && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
  });
  return handshake === null
    ? undefined
    : new InputError(`no TLS connection to ${temporal}: ${handshake}; check TEMPORAL_TLS_…`);
}

/**
 * Creates a client for the namespace. The client logs problems that an operator must solve: a missing namespace and an exceeded rate limit. @throws
 * UnavailableError when the server does not answer, InputError when it refuses us.
 */
export async function connectTemporal(config: TemporalConfig, log: Log = silentLog()): Promise<Client> {
  const report = reportProblems(config, log);
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  const retries = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) => {
      report(status);
      return retryableDecider(attempt, status);
    },
  });
  try {
    const connection = await Connection.connect({
      ...connectionOptions(config),
      connectTimeout: '3s',
      interceptors: [retries],
    });
    return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE, dataConverter });
  } catch (cause) {
    throw (
      (await explainRefusal(cause, config)) ??
      new UnavailableError(`Temporal at ${config.TEMPORAL_ADDRESS} does not answer`, { cause })
    );
  }
}
