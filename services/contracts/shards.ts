import { createHash } from 'node:crypto';
import { InputError } from '../adapters/errors.ts';

/** The namespaces of one of `of` ingesters that divide a cluster among themselves; `index` counts from 1. */
export interface Shard {
  index: number;
  of: number;
}

/** The most shards of a cluster: an ingester that begins to lead looks at the Lease of each. */
export const MAX_SHARDS = 16;

/** Reads `2/4`. @throws InputError */
export function parseShard(text: string): Shard {
  const [index, of] = text.split('/').map(Number);
  const isShard = /^\d+\/\d+$/.test(text) && index !== undefined && of !== undefined;
  if (!isShard || index < 1 || index > of || of > MAX_SHARDS)
    throw new InputError(
      `"${text}" is not a shard; name one as 2/4: the second of 4, of at most ${MAX_SHARDS}`,
    );
  return { index, of };
}

const shards = new Map<string, number>();

/** The index of the shard that has a namespace: the first 32 bits of the SHA-256 of its name, modulo `of`, plus 1. */
export function namespaceShard(namespace: string, of: number): number {
  const known = shards.get(namespace);
  const hash = known ?? createHash('sha256').update(namespace).digest().readUInt32BE();
  if (known === undefined) shards.set(namespace, hash);
  return (hash % of) + 1;
}

/** True when a shard has a namespace. */
export function hasNamespace({ index, of }: Shard, namespace: string): boolean {
  return of === 1 || namespaceShard(namespace, of) === index;
}

/** True when some namespace can be in both shards, which may belong to different numbers of shards. */
export function overlap(a: Shard, b: Shard): boolean {
  return (a.index - b.index) % commonDivisor(a.of, b.of) === 0;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
