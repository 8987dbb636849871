import { createHash } from 'node:crypto';
import { dropOldest } from '../../adapters/drop-oldest.ts';

/** Recently added texts, such as tokens; only their digests are kept. */
export interface Recent {
  has(text: string): boolean;
  add(text: string): void;
  delete(text: string): void;
}

/** Keeps each text for `keptMs` milliseconds after it was last added, and at most `most` texts. */
export function createRecent(
  { keptMs, most }: { keptMs: number; most: number },
  now: () => number = Date.now,
): Recent {
  const added = new Map<string, number>();
  return {
    has: (text) => now() - (added.get(textDigest(text)) ?? Number.NEGATIVE_INFINITY) < keptMs,
    add(text) {
      const digest = textDigest(text);
      added.delete(digest);
      added.set(digest, now());
      dropOldest(added, most);
    },
    delete: (text) => void added.delete(textDigest(text)),
  };
}

function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
