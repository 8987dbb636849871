import { refusal, type Refused } from './refused.ts';

const SHAPE = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?$/;

/**
 * Parses the instant that a person wrote, in milliseconds since 1970; the text must have a date, a time and a zone,
 * because the zone is never guessed. An instant that no calendar has is refused.
 */
export function instantFrom(text: string): number | Refused {
  const [, date, time, zone] = SHAPE.exec(text) ?? [];
  if (date === undefined || time === undefined)
    return refusal(
      'invalid',
      `"${text}" is not an instant: write date, time and zone, as in 2026-11-21T03:12:00Z`,
    );
  if (zone === undefined)
    return refusal(
      'invalid',
      `"${text}" names no time zone: write ${date}T${time}Z for UTC, or end it with an offset such as +01:00`,
    );
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(at) || !hasDay(date))
    return refusal('invalid', `"${text}" does not exist: no clock shows this instant`);
  return at;
}

/** True when the calendar has the day of this date; the engine accepts a 31st day even in a month of 30 days. */
function hasDay(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}
