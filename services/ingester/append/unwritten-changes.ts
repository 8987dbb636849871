import type { StoredChange } from '../live-set/live-set.ts';

/**
 * The shortest interval between two writes of the live topic, in milliseconds: an object that changes several times in
 * an interval gets one record. The topic may lag behind the appended events, but is never ahead of them. A watch that
 * starts earlier repeats events, which have the same ids.
 */
const LIVE_MS = 1000;
/** The number of changes at which the live topic is written without a wait. */
const MAX_UNWRITTEN = 1000;

/** The changes of the live set that are not written yet and whose events are appended. */
export interface UnwrittenChanges {
  add(changes: readonly StoredChange[]): void;
  /** The newest change of each object and, after them, the newest positions. */
  all(): StoredChange[];
  /** Called when all changes are written. */
  clear(): void;
  /** The milliseconds until the changes may be written; null without changes. */
  wait(): number | null;
}

export function createUnwrittenChanges(): UnwrittenChanges {
  const objects = new Map<string, StoredChange>();
  const positions = new Map<string, StoredChange>();
  let writtenAt = -Infinity;
  return {
    add(changes) {
      for (const change of changes)
        if (change.resource === 'position') positions.set(change.of, change);
        else objects.set(`${change.resource}/${change.uid}`, change);
    },
    all: () => [...objects.values(), ...positions.values()],
    clear() {
      objects.clear();
      positions.clear();
      writtenAt = performance.now();
    },
    wait() {
      if (objects.size + positions.size === 0) return null;
      return objects.size >= MAX_UNWRITTEN ? 0 : Math.max(0, writtenAt + LIVE_MS - performance.now());
    },
  };
}
