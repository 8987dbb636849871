import { Heap } from 'heap-js';
import type { Mailbox } from './mailbox.ts';
import { sendAt } from './new-jobs-first.ts';

/**
 * When to send the mailboxes of one partition. The cost depends on the number of mailboxes with something to send, not
 * on the number that exist.
 */
export interface SendSchedule {
  /** Called when a mailbox may have become due, or due earlier. */
  add(mailbox: Mailbox): void;
  /** Removes and returns the mailboxes to send now. */
  take(now: number, isCrowded: (cluster: string) => boolean): Mailbox[];
  /**
   * When the next mailbox may be due, in milliseconds, if each cluster stays as crowded as at the last call of `take`.
   */
  next(): number;
  /** The unsent mailboxes, due now or later. */
  waiting(): Iterable<Mailbox>;
}

interface Entry {
  mailbox: Mailbox;
  at: number;
  isHeld: boolean;
}

export function createSchedule(): SendSchedule {
  /** The valid entry of each mailbox; outdated entries stay in their heap until their time comes. */
  const entries = new Map<Mailbox, Entry>();
  const due = aHeap();
  /** By cluster: the mailboxes that wait for its new Jobs. */
  const held = new Map<string, Heap<Entry>>();
  const put = (heap: Heap<Entry>, entry: Entry): void => {
    entries.set(entry.mailbox, entry);
    heap.push(entry);
  };
  const hold = (mailbox: Mailbox, at: number): void => {
    const { cluster } = mailbox.job;
    const heap = held.get(cluster) ?? aHeap();
    held.set(cluster, heap);
    put(heap, { mailbox, at, isHeld: true });
  };
  return {
    add(mailbox) {
      const { dueAt } = mailbox;
      const known = entries.get(mailbox);
      // Only the newest fact can release a held mailbox.
      const isStillHeld = known?.isHeld === true && mailbox.pending.at(-1)?.urgency !== 'now';
      if (dueAt === null || isStillHeld) return;
      if (known === undefined || dueAt < known.at) put(due, { mailbox, at: dueAt, isHeld: false });
    },
    take(now, isCrowded) {
      const reached = takenUntil(due, now);
      for (const [cluster, heap] of held) {
        reached.push(...takenUntil(heap, isCrowded(cluster) ? now : Infinity));
        if (heap.isEmpty()) held.delete(cluster);
      }
      return reached.flatMap((entry) => {
        const { mailbox } = entry;
        if (entries.get(mailbox) !== entry) return [];
        entries.delete(mailbox);
        const { dueAt, isSending } = mailbox;
        // A mailbox is added again when its signal has ended.
        if (dueAt === null || isSending) return [];
        const at = sendAt(mailbox, isCrowded);
        if (at <= now) return [mailbox];
        if (at > dueAt) hold(mailbox, at);
        else put(due, { mailbox, at, isHeld: false });
        return [];
      });
    },
    next: () => Math.min(...[due, ...held.values()].map((heap) => heap.peek()?.at ?? Infinity)),
    waiting: () => entries.keys(),
  };
}

function aHeap(): Heap<Entry> {
  return new Heap<Entry>((a, b) => a.at - b.at);
}

/** Removes the entries up to this time, in order. */
function takenUntil(heap: Heap<Entry>, time: number): Entry[] {
  const taken: Entry[] = [];
  while ((heap.peek()?.at ?? Infinity) <= time) {
    const entry = heap.pop();
    if (entry === undefined) break;
    taken.push(entry);
  }
  return taken;
}
