import { hash } from 'node:crypto';
import { createHashTable, hashedWords, parseWords } from '../../ledger/hash-table.ts';

/**
 * The events of a file by id and digest, 30 to 60 bytes each, outside of the heap, because a file may have more events than a Map can have entries.
 * The first 128 bits of the SHA-256 of an id represent the id.
 */
export interface EventIndex {
  /** Returns false if the event is in the index already. */
  add(id: string, digest: string): boolean;
  /**
   * Marks an event that the ledger has. Returns false if the index lacks the event, or if the event is marked
   * already.
   */
  mark(id: string, digest: string): boolean;
  isMarked(id: string, digest: string): boolean;
  /** The digests of the events with this id, unordered. */
  digests(id: string): string[];
}

/** The numbers of words: four for the id, and six for an entry, whose last two words are the digest. */
const [ID_WORDS, WORDS] = [4, 6];
const [HELD, MARKED] = [1, 2];

/** Creates an empty index. */
export function createEventIndex(): EventIndex {
  const table = createHashTable(WORDS);
  /** Digests that are not 16 hexadecimal digits, by the keys that represent them in the table. */
  const unusual = new Map<string, string>();
  return {
    add(id, digest) {
      const entry = toEntry(id, digest);
      if (table.getState(entry) !== 0) return false;
      table.set(entry, HELD);
      const key = digestKey(digest);
      if (key !== digest) unusual.set(key, digest);
      return true;
    },
    mark(id, digest) {
      const entry = toEntry(id, digest);
      if (table.getState(entry) !== HELD) return false;
      table.set(entry, MARKED);
      return true;
    },
    isMarked: (id, digest) => table.getState(toEntry(id, digest)) === MARKED,
    digests: (id) =>
      table.beginningWith(hashedWords(id, ID_WORDS)).map((entry) => {
        const key = toHex(entry.subarray(ID_WORDS));
        return unusual.get(key) ?? key;
      }),
  };
}

/** The entry of an event in the table. */
function toEntry(id: string, digest: string): Uint32Array {
  const entry = new Uint32Array(WORDS);
  entry.set(hashedWords(id, ID_WORDS));
  entry.set(parseWords(digestKey(digest)), ID_WORDS);
  return entry;
}

/** A digest as 16 hexadecimal digits; another text is represented by its hash. */
function digestKey(digest: string): string {
  return /^[\da-f]{16}$/.test(digest) ? digest : hash('sha256', digest).slice(0, 16);
}

/** The words as a text of hexadecimal digits. */
function toHex(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
