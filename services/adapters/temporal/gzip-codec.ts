import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';

/** Payloads of at least this size, in bytes, are compressed. */
const THRESHOLD = 64 * 1024;
const ENCODING = 'binary/gzip';
/** The largest decompressed payload, in bytes; the payloads of Jobledger are much smaller (`MAX_PASSED` of control-loop.ts). */
const LARGEST = 64 * 1024 * 1024;
/** The prefix of the original payload's metadata in a compressed payload. */
const INNER = 'inner-';

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

/**
 * Compresses large payloads (states of big Jobs) on another thread, because a tenant determines the size of its
 * objects. Every client and every worker uses this codec.
 */
export const gzipCodec: PayloadCodec = {
  encode: (payloads) => Promise.all(payloads.map(compressPayload)),
  decode: (payloads) => Promise.all(payloads.map(decompressPayload)),
};

async function compressPayload(payload: Payload): Promise<Payload> {
  if (payload.data == null || payload.data.length < THRESHOLD) return payload;
  const inner = Object.entries(payload.metadata ?? {}).map(([key, value]) => [INNER + key, value]);
  return {
    metadata: { ...Object.fromEntries(inner), [METADATA_ENCODING_KEY]: Buffer.from(ENCODING) },
    data: await compress(payload.data),
  };
}

async function decompressPayload(payload: Payload): Promise<Payload> {
  const encoding = payload.metadata?.[METADATA_ENCODING_KEY];
  if (encoding === undefined || Buffer.from(encoding).toString() !== ENCODING || payload.data == null)
    return payload;
  const inner = Object.entries(payload.metadata ?? {}).filter(([key]) => key.startsWith(INNER));
  return {
    metadata: Object.fromEntries(inner.map(([key, value]) => [key.slice(INNER.length), value])),
    data: await decompress(payload.data, { maxOutputLength: LARGEST }),
  };
}
