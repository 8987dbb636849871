import { hash } from 'node:crypto';

/**
 * A table of entries outside of the heap, each of a fixed number of 32-bit words with a state from 1 to 255; it may have more entries than a Map can
 * have.
 */
export interface HashTable {
  /** The value 0 means that the entry does not exist. */
  getState(entry: Uint32Array): number;
  set(entry: Uint32Array, state: number): void;
  /** The entries that begin with these words, unordered. */
  beginningWith(words: Uint32Array): Uint32Array[];
  /** The number of entries in each state. */
  counts(): Map<number, number>;
}

const FREE = 0;
/** Hexadecimal digits of a word. */
const DIGITS = 8;
const FEWEST_SLOTS = 1024;
const FULL = 0.8;

interface Slots {
  words: Uint32Array;
  states: Uint8Array;
  /** A power of two. */
  count: number;
}

/**
 * `size` is the number of words of an entry; the first word must be evenly distributed. The table takes 1.25 to 2.5 times the bytes of its entries.
 */
export function createHashTable(size: number): HashTable {
  // Creates free slots.
  const createSlots = (count: number): Slots => ({
    words: new Uint32Array(count * size),
    states: new Uint8Array(count),
    count,
  });
  // The entry in a slot, as a view of the memory.
  const entryAt = ({ words }: Slots, slot: number): Uint32Array =>
    words.subarray(slot * size, (slot + 1) * size);
  // Writes an entry and its state into its slot.
  const put = (slots: Slots, entry: Uint32Array, state: number): void => {
    const slot = findSlot(slots, entry);
    slots.words.set(entry, slot * size);
    slots.states[slot] = state;
  };
  /** The slot of an entry, or the free slot where the entry belongs. */
  const findSlot = (slots: Slots, entry: Uint32Array): number => {
    let slot = firstSlot(slots, entry);
    while (slots.states[slot] !== FREE && !isSameEntry(entryAt(slots, slot), entry))
      slot = nextSlot(slots, slot);
    return slot;
  };
  // Copies all entries into twice as many slots.
  const withTwiceTheSlots = (slots: Slots): Slots => {
    const more = createSlots(slots.count * 2);
    for (const [slot, state] of slots.states.entries())
      if (state !== FREE) put(more, entryAt(slots, slot), state);
    return more;
  };
  let slots = createSlots(FEWEST_SLOTS);
  let held = 0;
  return {
    getState: (entry) => slots.states[findSlot(slots, entry)] ?? FREE,
    set(entry, state) {
      if (slots.states[findSlot(slots, entry)] === FREE) {
        if (held >= slots.count * FULL) slots = withTwiceTheSlots(slots);
        held += 1;
      }
      put(slots, entry, state);
    },
    beginningWith(wanted) {
      const found: Uint32Array[] = [];
      for (let slot = firstSlot(slots, wanted); slots.states[slot] !== FREE; slot = nextSlot(slots, slot)) {
        const entry = entryAt(slots, slot);
        if (isSameEntry(entry.subarray(0, wanted.length), wanted)) found.push(entry);
      }
      return found;
    },
    counts() {
      const counts = new Map<number, number>();
      for (const state of slots.states) if (state !== FREE) counts.set(state, (counts.get(state) ?? 0) + 1);
      return counts;
    },
  };
}

/** The slot where the search for an entry begins, by the first word of the entry. */
function firstSlot({ count }: Slots, [first = 0]: Uint32Array): number {
  return first & (count - 1);
}

/** The slot that the search visits next; the last slot is followed by the first. */
function nextSlot({ count }: Slots, slot: number): number {
  return (slot + 1) & (count - 1);
}

/** True when all words are equal. */
function isSameEntry(one: Uint32Array, other: Uint32Array): boolean {
  return one.every((word, at) => word === other[at]);
}

/** The first words of the SHA-256 of a text. */
export function hashedWords(text: string, count: number): Uint32Array {
  return parseWords(hash('sha256', text).slice(0, count * DIGITS));
}

/** The words of a text of hexadecimal digits; eight digits are a word. */
export function parseWords(hex: string): Uint32Array {
  return Uint32Array.from({ length: hex.length / DIGITS }, (_none, at) =>
    Number.parseInt(hex.slice(at * DIGITS, (at + 1) * DIGITS), 16),
  );
}
