import type { UnixMs } from '../../job/definitions/instants.ts';

/** The name in Go of the zone that needs no rules, which is also used for the empty name. */
export const UTC = 'UTC';

const YEAR = 366 * 86_400_000;

/** A time zone whose rules a decision needs, over a period. */
export interface ZonePeriod {
  name: string;
  from: UnixMs;
  until: UnixMs;
}

/**
 * The offsets of a time zone over a period, as an input that is recorded with a decision, so that making the decision
 * again does not depend on the time-zone data of a machine. `offsets` contains the beginning of each offset, and the
 * offset from UTC in seconds; the first also holds before the period, the last after it. `unknown` is Go's error for
 * a zone that does not exist.
 */
export type ZoneRules = ZonePeriod & ({ offsets: [UnixMs, number][] } | { unknown: string });

/** Rules that know the zone. */
export type KnownZone = Extract<ZoneRules, { offsets: unknown }>;

/** Older rules are not asked for: the last start is in a status that anybody may have written, and a period costs time by its length. */
const OLDEST = 20 * YEAR;

/**
 * The period for a search from an instant on: a search looks at most to the end of the fifth year after `now`, and goes back
 * to the beginning of the month first (J-9.4).
 */
export function zonePeriod(name: string, from: number, now: number): ZonePeriod {
  return { name, from: Math.max(from - YEAR / 11, now - OLDEST), until: Math.max(from, now) + 6 * YEAR };
}

/** True when the rules are those of the zone and contain the whole period. */
export function coversPeriod(rules: ZoneRules, { name, from, until }: ZonePeriod): boolean {
  return rules.name === name && rules.from <= from && rules.until >= until;
}

export const UTC_RULES: KnownZone = { name: UTC, from: 0, until: 0, offsets: [[0, 0]] };

/** The offset at an instant, and the period in which it holds; all in seconds. */
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

/** Local time of an instant, as seconds that would be this wall-clock time in UTC. */
export function wallAt(zone: KnownZone, instant: number): number {
  return instant + offsetAt(zone, instant).offset;
}

/**
 * The instant of a wall-clock time, as Go's `time.Date` finds it: for a time that is shown twice either instant, for
 * a time that is never shown an instant before or after the gap.
 */
export function instantOfWall(zone: KnownZone, wall: number): number {
  const { offset, start, end } = offsetAt(zone, wall);
  const instant = wall - offset;
  if (offset === 0 || (instant >= start && instant < end)) return instant;
  return wall - offsetAt(zone, instant).offset;
}

/** RFC 3339 with the zone's offset, as Go writes it, with `Z` for no offset (J-9.46). `instant` in milliseconds. */
export function localTime(zone: KnownZone, instant: number): string {
  const { offset } = offsetAt(zone, instant / 1000);
  const text = new Date(instant + offset * 1000).toISOString().slice(0, 19);
  const minutes = Math.trunc(Math.abs(offset) / 60);
  if (minutes === 0) return `${text}Z`;
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}
