import { Heap } from 'heap-js';
import type { Mailbox } from './mailbox.ts';
import { sendTime, type Crowd } from './new-jobs-first.ts';

/**
 * The times at which the mailboxes of one partition are sent. The cost depends on the number of mailboxes with unsent
 * facts, not on the number of all mailboxes.
 */
export interface SendSchedule {
  /** Called when a mailbox may have become due, or due at an earlier time. */
  add(mailbox: Mailbox): void;
  /** Removes and returns the mailboxes to send now; they join the crowd. */
  take(now: number, crowd: Crowd): Mailbox[];
  /**
   * The time at which the next mailbox may be due, in milliseconds, if each namespace stays as crowded as at the last
   * call of `take`.
   */
  next(): number;
  /** True when mailboxes wait for the crowd in their namespace to end. */
  isHolding(): boolean;
  /** The unsent mailboxes, due now or later. */
  waiting(): Iterable<Mailbox>;
}

interface Entry {
  mailbox: Mailbox;
  at: number;
  isHeld: boolean;
}

export function createSchedule(): SendSchedule {
  /** The valid entry of each mailbox; outdated entries stay in their heap until their time is reached. */
  const entries = new Map<Mailbox, Entry>();
  const due = createHeap();
  /** The mailboxes that wait for other Jobs of their namespace, by cluster and namespace. */
  const held = new Map<string, Heap<Entry>>();
  const addEntry = (heap: Heap<Entry>, entry: Entry): void => {
    entries.set(entry.mailbox, entry);
    heap.push(entry);
  };
  /** Lets a mailbox wait until a time, or until its namespace is not crowded. */
  const holdBack = (mailbox: Mailbox, at: number): void => {
    const { cluster, namespace } = mailbox.job;
    const key = `${cluster}/${namespace}`;
    const heap = held.get(key) ?? createHeap();
    held.set(key, heap);
    addEntry(heap, { mailbox, at, isHeld: true });
  };
  return {
    add(mailbox) {
      const { dueAt } = mailbox;
      const known = entries.get(mailbox);
      // Only the newest fact can release a held mailbox.
      const isStillHeld = known?.isHeld === true && mailbox.pending.at(-1)?.urgency !== 'now';
      if (dueAt === null || isStillHeld) return;
      if (known === undefined || dueAt < known.at) addEntry(due, { mailbox, at: dueAt, isHeld: false });
    },
    take(now, crowd) {
      const taken: Mailbox[] = [];
      /** Takes the mailbox of a due entry, or adds the mailbox again with its new time. */
      const takeOrReschedule = (entry: Entry): void => {
        const { mailbox } = entry;
        if (entries.get(mailbox) !== entry) return;
        entries.delete(mailbox);
        const { dueAt, isSending } = mailbox;
        // A mailbox is added again when its signal has ended.
        if (dueAt === null || isSending) return;
        const at = sendTime(mailbox, crowd);
        if (at <= now) {
          crowd.join(mailbox.job);
          taken.push(mailbox);
        } else if (at > dueAt) holdBack(mailbox, at);
        else addEntry(due, { mailbox, at, isHeld: false });
      };
      // The mailboxes that have waited come first.
      for (const [key, heap] of held) {
        for (let next = heap.peek(); next !== undefined; next = heap.peek()) {
          if (next.at > now && crowd.isCrowded(next.mailbox.job)) break;
          heap.pop();
          takeOrReschedule(next);
        }
        if (heap.isEmpty()) held.delete(key);
      }
      for (const entry of takeEntriesUntil(due, now)) takeOrReschedule(entry);
      return taken;
    },
    next: () => Math.min(...[due, ...held.values()].map((heap) => heap.peek()?.at ?? Infinity)),
    isHolding: () => held.size > 0,
    waiting: () => entries.keys(),
  };
}

function createHeap(): Heap<Entry> {
  return new Heap<Entry>((a, b) => a.at - b.at);
}

/** Removes and returns the entries up to this time, in the order of their times. */
function takeEntriesUntil(heap: Heap<Entry>, time: number): Entry[] {
  const taken: Entry[] = [];
  while ((heap.peek()?.at ?? Infinity) <= time) {
    const entry = heap.pop();
    if (entry === undefined) break;
    taken.push(entry);
  }
  return taken;
}
