import { deflateRawSync, type ZlibOptions } from 'node:zlib';

/**
 * Compresses bytes (raw deflate) into a buffer of exactly the compressed size. The result of zlib would retain a buffer
 * of 16 KiB, and a buffer from Node's pool would retain 64 KiB on Node 24.
 */
export function deflateExactly(bytes: Uint8Array, options: ZlibOptions): Buffer {
  const result = deflateRawSync(bytes, options);
  const exact = Buffer.allocUnsafeSlow(result.length);
  result.copy(exact);
  return exact;
}
