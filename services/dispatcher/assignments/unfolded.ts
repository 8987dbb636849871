import type { Pending } from '../mailboxes/mailbox.ts';

/** The time in milliseconds after which a signalled fact is signalled again if no decision names the fact. */
const REPEAT_AFTER_MS = 30_000;
/** The most bytes of kept records; beyond this limit, the oldest records are forgotten. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * The facts of one partition that were signalled and that no decision names yet. Temporal's history may contain a
 * signal that the run never got: after a pause that is longer than the timeout of a workflow task, a server gives the
 * next task to a worker that still works on the first task. A run that got the fact ignores the repetition
 * (docs/decisions/0099).
 */
export interface UnfoldedFacts {
  /** `stream` is the id of the stream of the Job. */
  add(stream: string, facts: readonly Pending[], now: number): void;
  /** Removes the facts that a decision names. */
  remove(stream: string, ids: readonly string[]): void;
  /** Removes and returns the facts to signal again. */
  take(now: number): { stream: string; facts: Pending[] }[];
  /** The time at which `take` may return the next facts, in milliseconds. */
  next(): number;
}

interface OfJob {
  since: number;
  facts: Map<string, Pending>;
}

export function createUnfoldedFacts(): UnfoldedFacts {
  /** The facts by stream; the stream that has waited longest comes first. */
  const streams = new Map<string, OfJob>();
  let length = 0;
  const forget = (stream: string): Pending[] => {
    const facts = [...(streams.get(stream)?.facts.values() ?? [])];
    streams.delete(stream);
    for (const fact of facts) length -= fact.length;
    return facts;
  };
  return {
    add(stream, added, now) {
      const { facts } = streams.get(stream) ?? { facts: new Map<string, Pending>() };
      for (const pending of added) {
        length += pending.length - (facts.get(pending.fact.id)?.length ?? 0);
        facts.set(pending.fact.id, pending);
      }
      if (facts.size > 0 && !streams.has(stream)) streams.set(stream, { since: now, facts });
      for (const oldest of streams.keys()) {
        if (length <= MAX_LENGTH) break;
        forget(oldest);
      }
    },
    remove(stream, ids) {
      const facts = streams.get(stream)?.facts;
      if (facts === undefined) return;
      for (const id of ids) {
        length -= facts.get(id)?.length ?? 0;
        facts.delete(id);
      }
      if (facts.size === 0) streams.delete(stream);
    },
    take(now) {
      const due: { stream: string; facts: Pending[] }[] = [];
      for (const [stream, { since }] of streams) {
        if (now - since < REPEAT_AFTER_MS) break;
        due.push({ stream, facts: forget(stream) });
      }
      return due;
    },
    next() {
      const [first] = streams.values();
      return first === undefined ? Infinity : first.since + REPEAT_AFTER_MS;
    },
  };
}
