import type { ReadEvent } from './read-event.ts';

/** The most Events that wait, in all and of one namespace. */
const [MOST, MOST_OF_NAMESPACE] = [10_000, 500];
/** How long an Event waits for its object, in milliseconds. */
export const WAIT_MS = 120_000;

/** The Events whose Job or pod is not known yet. */
export interface WaitingRoom {
  /** Adds an Event, in place of an earlier version of it; returns false when there is no room for it. */
  add(event: ReadEvent): boolean;
  /** Calls `visit` for each Event, in the order of their arrival, and removes those for which the result is true. */
  settle(visit: (event: ReadEvent) => boolean): void;
  /** Removes and returns the Events that have waited too long. */
  expired(): ReadEvent[];
  readonly size: number;
}

/** Creates an empty waiting room. `now` is in milliseconds. */
export function createWaitingRoom(now: () => number = Date.now): WaitingRoom {
  const waiting = new Map<string, { event: ReadEvent; until: number }>();
  const ofNamespace = new Map<string, number>();
  const countIn = (namespace: string, change: 1 | -1): void => {
    const count = (ofNamespace.get(namespace) ?? 0) + change;
    if (count === 0) ofNamespace.delete(namespace);
    else ofNamespace.set(namespace, count);
  };
  const remove = (event: ReadEvent): void => {
    waiting.delete(event.eventUid);
    countIn(event.namespace, -1);
  };
  return {
    add(event) {
      const before = waiting.get(event.eventUid);
      if (before !== undefined) {
        before.event = event;
        return true;
      }
      if (waiting.size >= MOST || (ofNamespace.get(event.namespace) ?? 0) >= MOST_OF_NAMESPACE) return false;
      waiting.set(event.eventUid, { event, until: now() + WAIT_MS });
      countIn(event.namespace, 1);
      return true;
    },
    settle(visit) {
      for (const { event } of waiting.values()) if (visit(event)) remove(event);
    },
    expired() {
      const all: ReadEvent[] = [];
      for (const { event, until } of waiting.values()) {
        if (until > now()) break;
        all.push(event);
      }
      all.forEach(remove);
      return all;
    },
    get size() {
      return waiting.size;
    },
  };
}
