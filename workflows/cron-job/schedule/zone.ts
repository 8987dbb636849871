import type { UnixMs } from '../../ledger/instants.ts';

/** Go's name of the zone that needs no rules; the empty name stands for this zone too. */
export const UTC = 'UTC';

const YEAR = 366 * 86_400_000;

/** A time zone whose rules a decision needs, over a period. */
export interface ZonePeriod {
  name: string;
  from: UnixMs;
  until: UnixMs;
}

/**
 * The offsets of a time zone over a period, recorded with a decision as an input, so that a replay of the decision
 * does not depend on the time-zone data of a machine. `offsets` contains the beginning of each offset and the offset
 * from UTC in seconds; the first offset also applies before the period, and the last offset after it. `unknown` is
 * the error that Go reports for a zone that does not exist.
 */
export type ZoneRules = ZonePeriod & ({ offsets: [UnixMs, number][] } | { unknown: string });

/** Rules of a zone that exists. */
export type KnownZone = Extract<ZoneRules, { offsets: unknown }>;

/**
 * No rules before this limit are requested: anybody may have written the last start in a status, and the cost of a
 * period grows with its length.
 */
const OLDEST = 20 * YEAR;

/**
 * The period for a search that begins at an instant: the search ends with the fifth year after `now` at most, and
 * first goes back to the beginning of the month (J-9.4).
 */
export function zonePeriod(name: string, from: number, now: number): ZonePeriod {
  return { name, from: Math.max(from - YEAR / 11, now - OLDEST), until: Math.max(from, now) + 6 * YEAR };
}

/** True when the rules are those of the zone and cover the whole period. */
export function coversPeriod(rules: ZoneRules, { name, from, until }: ZonePeriod): boolean {
  return rules.name === name && rules.from <= from && rules.until >= until;
}

export const UTC_RULES: KnownZone = { name: UTC, from: 0, until: 0, offsets: [[0, 0]] };

/** The offset at an instant, and the period in which the offset applies; all values are in seconds. */
export function offsetAt(
  { offsets }: KnownZone,
  instant: number,
): { offset: number; start: number; end: number } {
  let at = offsets.length - 1;
  while (at > 0 && (offsets[at]?.[0] ?? 0) > instant * 1000) at -= 1;
  return {
    offset: offsets[at]?.[1] ?? 0,
    start: at === 0 ? -Infinity : (offsets[at]?.[0] ?? 0) / 1000,
    end: (offsets[at + 1]?.[0] ?? Infinity) / 1000,
  };
}

/** The local time of an instant, as the seconds of the same wall-clock time in UTC. */
export function wallAt(zone: KnownZone, instant: number): number {
  return instant + offsetAt(zone, instant).offset;
}

/**
 * The instant of a wall-clock time, as Go's `time.Date` computes it: one of the two instants for a time that is shown
 * twice, and an instant before or after the gap for a time that is never shown.
 */
export function instantOfWall(zone: KnownZone, wall: number): number {
  const { offset, start, end } = offsetAt(zone, wall);
  const instant = wall - offset;
  if (offset === 0 || (instant >= start && instant < end)) return instant;
  return wall - offsetAt(zone, instant).offset;
}

/**
 * The time in RFC 3339 with the offset of the zone, as Go writes it, with `Z` for no offset (J-9.46); `instant` is in
 * milliseconds.
 */
export function localTime(zone: KnownZone, instant: number): string {
  const { offset } = offsetAt(zone, instant / 1000);
  const text = new Date(instant + offset * 1000).toISOString().slice(0, 19);
  const minutes = Math.trunc(Math.abs(offset) / 60);
  if (minutes === 0) return `${text}Z`;
  /** The number with two digits. */
  const twoDigits = (number: number): string => String(number).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${twoDigits(Math.trunc(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
