import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { fileOf, type TemporalConfig } from '../config.ts';
import { InputError, UnavailableError } from '../errors.ts';
import { gzipCodec } from './gzip-codec.ts';

export const dataConverter = { payloadCodecs: [gzipCodec] };

interface Address {
  address: string;
  tls?: NonNullable<ConnectionOptions['tls']>;
  apiKey?: string;
}

/** Address and credentials, for the connections of clients and workers. @throws InputError. */
export function connectionOptions(config: TemporalConfig): Address {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key } = config;
  if ((cert === undefined) !== (key === undefined))
    throw new InputError('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together');
  const clientCertPair =
    cert === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: fileOf('TEMPORAL_TLS_CERT', cert), key: fileOf('TEMPORAL_TLS_KEY', key) } };
  const root = ca === undefined ? {} : { serverRootCACertificate: fileOf('TEMPORAL_TLS_CA', ca) };
  const usesTls = ca !== undefined || cert !== undefined || config.TEMPORAL_API_KEY !== undefined;
  return {
    address: config.TEMPORAL_ADDRESS,
    ...(usesTls && { tls: { ...root, ...clientCertPair } }),
    ...(config.TEMPORAL_API_KEY !== undefined && { apiKey: config.TEMPORAL_API_KEY }),
  };
}

/** A client for the namespace. @throws UnavailableError when the server does not answer. */
export async function connectTemporal(config: TemporalConfig): Promise<Client> {
  try {
    const connection = await Connection.connect({ ...connectionOptions(config), connectTimeout: '3s' });
    return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE, dataConverter });
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new UnavailableError(`Temporal at ${config.TEMPORAL_ADDRESS} does not answer`, { cause });
  }
}
