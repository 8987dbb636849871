import { setTimeout as sleep } from 'node:timers/promises';
import type { EventFilter } from '../queries/new-events.ts';
import type { Positions } from './positions.ts';
import type { EventBatch } from './read-on.ts';

/** What a stream needs of the tables. */
export interface EventFeed {
  /** How far the tables have come; asked often, so it may be a moment old. */
  ends(): Promise<Positions>;
  readOn(from: Positions, ends: Positions, filter: EventFilter): Promise<EventBatch>;
}

/** Between two looks for something new, and between two signs of life. */
const [LOOK_MS, SIGN_MS] = [250, 15_000];

/**
 * Portions of events behind the positions, and whatever follows, until the signal. An empty portion is a sign of life: it
 * comes when a while nothing came, or much was passed that the filter does not let through.
 */
export async function* follow(
  ledger: EventFeed,
  from: Positions,
  filter: EventFilter,
  { signal, signMs = SIGN_MS }: { signal: AbortSignal; signMs?: number },
): AsyncGenerator<EventBatch> {
  let positions = from;
  let told = Date.now();
  while (!signal.aborted) {
    const batch = await ledger.readOn(positions, await ledger.ends(), filter);
    const isAtEnd = batch.next === positions;
    positions = batch.next;
    if (batch.events.length > 0 || Date.now() - told >= signMs) {
      yield batch;
      told = Date.now();
    }
    if (isAtEnd) await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Asks at most once in a while, however many want to know. */
export function shared<T>(ask: () => Promise<T>, lastsMs = LOOK_MS / 2): () => Promise<T> {
  let asked: { answer: Promise<T>; at: number } | undefined;
  return () => {
    if (asked === undefined || Date.now() - asked.at >= lastsMs) asked = { answer: ask(), at: Date.now() };
    return asked.answer;
  };
}
