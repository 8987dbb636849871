import { deflateRawSync, type ZlibOptions } from 'node:zlib';

/**
 * The bytes, compressed (raw deflate), in a buffer of exactly that size: the result of zlib, and a small buffer of Node's
 * pool, would retain a larger one (16 KiB, and 64 KiB on Node 24).
 */
export function deflated(bytes: Uint8Array, options: ZlibOptions): Buffer {
  const result = deflateRawSync(bytes, options);
  const exact = Buffer.allocUnsafeSlow(result.length);
  result.copy(exact);
  return exact;
}
