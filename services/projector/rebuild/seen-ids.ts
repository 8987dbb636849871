import { hash } from 'node:crypto';

/** The number of 32-bit words kept of an id's hash. */
const WORDS = 4;
const SLOTS_AT_FIRST = 2 ** 16;

/** A set of ids that takes 16 bytes per id, because there may be more ids than a Set can hold. */
export interface SeenIds {
  /** Returns true when the id is new. */
  add(id: string): boolean;
}

/** Identifies an id by 128 bits of a cryptographic hash, so collisions can be ignored. */
export function createSeenIds(): SeenIds {
  let table = new Uint32Array(SLOTS_AT_FIRST * WORDS);
  let size = 0;
  const grow = (): void => {
    const old = table;
    table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS) {
      const words = old.subarray(at, at + WORDS);
      if (!isFree(old, at)) table.set(words, slotOf(table, words));
    }
  };
  return {
    add(id) {
      const words = wordsOf(id);
      const slot = slotOf(table, words);
      if (!isFree(table, slot)) return false;
      table.set(words, slot);
      size += 1;
      // Open addressing: at most half full.
      if (size * WORDS * 2 > table.length) grow();
      return true;
    },
  };
}

function wordsOf(id: string): readonly number[] {
  const digest = hash('sha256', id, 'buffer');
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12)];
}

/** Offset of the slot that contains these words, or of the free slot where they belong. */
function slotOf(table: Uint32Array, words: ArrayLike<number>): number {
  const mask = table.length / WORDS - 1;
  for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS;
    if (isFree(table, at) || isAt(table, at, words)) return at;
  }
}

function isAt(table: Uint32Array, at: number, words: ArrayLike<number>): boolean {
  for (let word = 0; word < WORDS; word += 1) if (table[at + word] !== words[word]) return false;
  return true;
}

function isFree(table: Uint32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}
