import { gunzipSync, gzipSync } from 'node:zlib';
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

/** Payloads from this size on, in bytes, travel compressed. */
const THRESHOLD = 64 * 1024;
const ENCODING = 'binary/gzip';

const proto = temporal.api.common.v1.Payload;

/** Compresses large payloads (states of big Jobs), on every client and worker alike. */
export const gzipCodec: PayloadCodec = {
  encode: (payloads) => Promise.resolve(payloads.map(compressed)),
  decode: (payloads) => Promise.resolve(payloads.map(decompressed)),
};

function compressed(payload: Payload): Payload {
  if ((payload.data?.length ?? 0) < THRESHOLD) return payload;
  const whole = proto.encode(payload as temporal.api.common.v1.IPayload).finish();
  return { metadata: { [METADATA_ENCODING_KEY]: Buffer.from(ENCODING) }, data: gzipSync(whole) };
}

function decompressed(payload: Payload): Payload {
  const encoding = payload.metadata?.[METADATA_ENCODING_KEY];
  if (encoding === undefined || Buffer.from(encoding).toString() !== ENCODING || payload.data == null)
    return payload;
  return proto.decode(gunzipSync(payload.data));
}
