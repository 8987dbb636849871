import type { LedgerEvent } from '../../../workflows/ledger-event.ts';

/** The range of feature levels that a version supports. */
export interface Levels {
  /** The lowest level at which this version works. */
  min: number;
  /** The highest level; this version cannot read formats above it. */
  max: number;
}

/** The levels of this version. Raise `max` with the first gate of a new level; raise `min` a few versions later. */
export const SUPPORTED_LEVELS: Levels = { min: 1, max: 1 };

/** A format that is written only at a feature level and above. */
export interface Gate {
  /** The lowest feature level at which the format is written. */
  from: number;
  /**
   * The record that the previous version cannot read: an `event` type or form, a `command` or outcome in decisions, or
   * a `record` of another topic, such as the live topic.
   */
  kind: 'event' | 'command' | 'record';
  /** The benefit of this level for users. */
  turnsOn: string;
  /** The consequence if a service of the previous version reads the format. */
  reason: string;
  /** The new event types of the level. */
  types?: readonly LedgerEvent['type'][];
}

/**
 * All gates. To add one, add a name below with the level after the last released level, and set `SUPPORTED_LEVELS.max`
 * to this level:
 *
 *     clusterNotes: {
 *       from: 2,
 *       kind: 'event',
 *       turnsOn: 'notes about clusters',
 *       reason: 'a projector of level 1 stops at the event',
 *       types: ['cluster.noted'],
 *     },
 *
 * The schema of a new event type is in event-types.ts, as is a new form of an event. The producer asks
 * `level.current() >= GATES.clusterNotes.from` before it writes. A gate is removed when `SUPPORTED_LEVELS.min` has
 * reached its level.
 */
export const GATES = {} as const satisfies Readonly<Record<string, Gate>>;

/** The lowest feature level at which events of a type may be written. */
export function levelOfType(type: string, gates: Readonly<Record<string, Gate>> = GATES): number {
  const gate = Object.values(gates).find(({ types = [] }) => types.some((each) => each === type));
  return gate?.from ?? 1;
}
