import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StreamMemory } from '../../../../workflows/history/verify/stream-memory.ts';

/** What the verification of a stream remembers, compressed: about 2.5 KB for a finished Job. */
export function packMemory(memory: StreamMemory): Buffer {
  const packed = deflateRawSync(serialize(memory), { level: 1 });
  // A copy of this size: the result of zlib, and a small buffer of Node's pool, keep a larger one.
  const copy = Buffer.allocUnsafeSlow(packed.length);
  packed.copy(copy);
  return copy;
}

export function unpackMemory(packed: Buffer): StreamMemory {
  return deserialize(inflateRawSync(packed)) as StreamMemory;
}
