import { createHash } from 'node:crypto';
import { InputError } from '../adapters/errors.ts';

/** The namespaces of one ingester when `of` ingesters divide a cluster among themselves; `index` counts from 1. */
export interface Shard {
  index: number;
  of: number;
}

/** The maximum number of shards of a cluster, because an ingester that begins to lead reads the Lease of every shard. */
export const MAX_SHARDS = 16;

/** Parses a shard such as `2/4`. @throws InputError */
export function parseShard(text: string): Shard {
  const [index, of] = text.split('/').map(Number);
  const isShard = /^\d+\/\d+$/.test(text) && index !== undefined && of !== undefined;
  if (!isShard || index < 1 || index > of || of > MAX_SHARDS)
    throw new InputError(
      `"${text}" is not a shard; give a shard as 2/4, the second of 4 shards, of at most ${MAX_SHARDS}`,
    );
  return { index, of };
}

const shards = new Map<string, number>();

/** The index of the shard that contains a namespace: the first 32 bits of the SHA-256 of its name, modulo `of`, plus 1. */
export function namespaceShard(namespace: string, of: number): number {
  const known = shards.get(namespace);
  const hash = known ?? createHash('sha256').update(namespace).digest().readUInt32BE();
  if (known === undefined) shards.set(namespace, hash);
  return (hash % of) + 1;
}

/** True when a shard contains a namespace. */
export function hasNamespace({ index, of }: Shard, namespace: string): boolean {
  return of === 1 || namespaceShard(namespace, of) === index;
}

/** True when some namespace can be in both shards, which may belong to different numbers of shards. */
export function shardsOverlap(a: Shard, b: Shard): boolean {
  return (a.index - b.index) % commonDivisor(a.of, b.of) === 0;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
