import { deserialize, serialize } from 'node:v8';
import { inflateRawSync } from 'node:zlib';
import { deflated } from '../../../services/adapters/deflated.ts';
import type { StreamMemory } from '../../../workflows/history/verify/stream-memory.ts';

/** The memory of a stream's verification, compressed: about 2.5 KB for a finished Job. */
export function packMemory(memory: StreamMemory): Buffer {
  return deflated(serialize(memory), { level: 1 });
}

export function unpackMemory(packed: Buffer): StreamMemory {
  return deserialize(inflateRawSync(packed)) as StreamMemory;
}
