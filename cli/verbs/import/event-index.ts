import { hash } from 'node:crypto';

/**
 * The events of a file by id and digest, 30 to 60 bytes each, outside of the heap: a file may have more events than a Map has
 * entries. An id counts as its first 128 bits of SHA-256.
 */
export interface EventIndex {
  /** False if it is there already. */
  add(id: string, digest: string): boolean;
  /** Marks an event as one that the ledger has. False if the index lacks it, or if it is marked already. */
  mark(id: string, digest: string): boolean;
  isMarked(id: string, digest: string): boolean;
  /** The digests of the events with this id, unordered. */
  digests(id: string): string[];
}

/** Of an entry: four words of the id, two of the digest. */
const [ID_WORDS, WORDS] = [4, 6];
const [FREE, HELD, MARKED] = [0, 1, 2];
const FEWEST_SLOTS = 1024;
const FULL = 0.8;

interface Table {
  words: Uint32Array;
  /** FREE, HELD or MARKED, by slot. */
  states: Uint8Array;
  slots: number;
}

export function createEventIndex(): EventIndex {
  let table = tableOf(FEWEST_SLOTS);
  let held = 0;
  /** Digests that are not 16 hexadecimal digits, by those under which they are held. */
  const unusual = new Map<string, string>();
  return {
    add(id, digest) {
      const entry = entryOf(id, digest);
      if (table.states[slotOf(table, entry)] !== FREE) return false;
      if (held >= table.slots * FULL) table = twiceAsLarge(table);
      put(table, entry, HELD);
      held += 1;
      const key = keyOf(digest);
      if (key !== digest) unusual.set(key, digest);
      return true;
    },
    mark(id, digest) {
      const slot = slotOf(table, entryOf(id, digest));
      if (table.states[slot] !== HELD) return false;
      table.states[slot] = MARKED;
      return true;
    },
    isMarked: (id, digest) => table.states[slotOf(table, entryOf(id, digest))] === MARKED,
    digests(id) {
      const found: string[] = [];
      const wanted = entryOf(id, '0'.repeat(16)).subarray(0, ID_WORDS);
      for (let slot = firstSlot(table, wanted); table.states[slot] !== FREE; slot = next(table, slot)) {
        const entry = entryAt(table, slot);
        if (!isSame(entry.subarray(0, ID_WORDS), wanted)) continue;
        const key = hexOf(entry.subarray(ID_WORDS));
        found.push(unusual.get(key) ?? key);
      }
      return found;
    },
  };
}

function tableOf(slots: number): Table {
  return { words: new Uint32Array(slots * WORDS), states: new Uint8Array(slots), slots };
}

function twiceAsLarge(table: Table): Table {
  const larger = tableOf(table.slots * 2);
  for (const [slot, state] of table.states.entries())
    if (state !== FREE) put(larger, entryAt(table, slot), state);
  return larger;
}

function put(table: Table, entry: Uint32Array, state: number): void {
  const slot = slotOf(table, entry);
  table.words.set(entry, slot * WORDS);
  table.states[slot] = state;
}

function entryOf(id: string, digest: string): Uint32Array {
  return wordsOf(hash('sha256', id).slice(0, ID_WORDS * 8) + keyOf(digest));
}

/** The slot of an entry, or the free one where it belongs. */
function slotOf(table: Table, entry: Uint32Array): number {
  let slot = firstSlot(table, entry);
  while (table.states[slot] !== FREE && !isSame(entryAt(table, slot), entry)) slot = next(table, slot);
  return slot;
}

/** The number of slots is a power of two. */
function firstSlot({ slots }: Table, [first = 0]: Uint32Array): number {
  return first & (slots - 1);
}

function next({ slots }: Table, slot: number): number {
  return (slot + 1) & (slots - 1);
}

function entryAt({ words }: Table, slot: number): Uint32Array {
  return words.subarray(slot * WORDS, (slot + 1) * WORDS);
}

function isSame(one: Uint32Array, other: Uint32Array): boolean {
  return one.every((word, at) => word === other[at]);
}

function keyOf(digest: string): string {
  return /^[\da-f]{16}$/.test(digest) ? digest : hash('sha256', digest).slice(0, 16);
}

function wordsOf(hex: string): Uint32Array {
  return Uint32Array.from({ length: hex.length / 8 }, (_none, at) =>
    Number.parseInt(hex.slice(at * 8, at * 8 + 8), 16),
  );
}

function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
