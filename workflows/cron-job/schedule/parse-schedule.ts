import { parseField, ScheduleError, type FieldBounds, type FieldValues } from './field.ts';
import { parseDuration } from './go-duration.ts';
import { splitFields } from './go-text.ts';

/** The matching minutes of the wall clock; a month is 1 to 12, and a day of the week is 0 (Sunday) to 6. */
export interface CalendarSchedule {
  kind: 'calendar';
  minute: FieldValues;
  hour: FieldValues;
  dayOfMonth: FieldValues;
  month: FieldValues;
  dayOfWeek: FieldValues;
}

/** The interval of `@every`: whole seconds, at least 1. */
export interface IntervalSchedule {
  kind: 'interval';
  seconds: number;
}

export type Schedule = CalendarSchedule | IntervalSchedule;

/** A schedule, or the reason why it is refused, in the words of Kubernetes. */
export type ParsedSchedule = { schedule: Schedule } | { error: string };

const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const BOUNDS = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: MONTHS.map((name) => name || '(none)') },
  dayOfWeek: { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
} satisfies Record<string, FieldBounds>;

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';
const SECOND = 1_000_000_000n;

/**
 * Splits the prefix `TZ=‹zone› ` or `CRON_TZ=‹zone› ` from a schedule (J-9.3); `zone` is null when the prefix is
 * absent.
 */
export function splitZone(text: string): { zone: string | null; rest: string } | { error: string } {
  const prefix = /^(?:CRON_)?TZ=/.exec(text)?.[0];
  if (prefix === undefined) return { zone: null, rest: text };
  const end = text.indexOf(' ');
  // The parser of Kubernetes panics on this input (J-9.2).
  if (end < 0) return { error: 'invalid schedule format: runtime error: slice bounds out of range [:-1]' };
  return { zone: text.slice(prefix.length, end), rest: text.slice(end).trim() };
}

/** Reads a schedule without its zone (J-9.3). */
export function parseSchedule(text: string): ParsedSchedule {
  try {
    return { schedule: parseFields(text) };
  } catch (error) {
    if (error instanceof ScheduleError) return { error: error.message };
    throw error;
  }
}

/** Parses the five fields or the descriptor of a schedule. */
function parseFields(text: string): Schedule {
  if (text.startsWith('@')) return parseDescriptor(text);
  const fields = splitFields(text);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (fields.length !== 5 || dayOfWeek === undefined)
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  return {
    kind: 'calendar',
    minute: parseField(minute ?? '', BOUNDS.minute),
    hour: parseField(hour ?? '', BOUNDS.hour),
    dayOfMonth: parseField(dayOfMonth ?? '', BOUNDS.dayOfMonth),
    month: parseField(month ?? '', BOUNDS.month),
    dayOfWeek: parseField(dayOfWeek, BOUNDS.dayOfWeek),
  };
}

/** Parses a descriptor such as `@daily` or `@every 1h`. */
function parseDescriptor(text: string): Schedule {
  const named = DESCRIPTORS[text];
  if (named !== undefined) return parseFields(named);
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const nanoseconds = parseEvery(text);
  return { kind: 'interval', seconds: nanoseconds < SECOND ? 1 : Number(nanoseconds / SECOND) };
}

/** Parses the duration of `@every`, in nanoseconds. */
function parseEvery(text: string): bigint {
  try {
    return parseDuration(text.slice(EVERY.length));
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    throw new ScheduleError(`failed to parse duration ${text}: ${error.message}`, { cause: error });
  }
}
