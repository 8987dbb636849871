/** A number with leading zeros. */
const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** An instant in the reader's time zone, such as `2026-11-21 04:12:00.266`; empty for null. */
export function localInstant(instant: string | number | null): string {
  if (instant === null) return '';
  const at = new Date(instant);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${localTime(at.getTime())}`;
}

/** An instant in the format of a date-and-time field, in the reader's time zone, cut to the second. */
export function localField(instant: number): string {
  return localInstant(Math.floor(instant / 1000) * 1000).replace(' ', 'T');
}

/** The instant of a date-and-time field, in milliseconds since 1970; undefined for an empty field. */
export function instantIn(field: string): number | undefined {
  const at = new Date(field).getTime();
  return Number.isNaN(at) ? undefined : at;
}

/** The time of day of an instant in the reader's time zone, without milliseconds if they are 0. */
export function localTime(instant: number): string {
  const at = new Date(instant);
  const milliseconds = at.getMilliseconds() === 0 ? '' : `.${pad(at.getMilliseconds(), 3)}`;
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}${milliseconds}`;
}

/** An instant in the reader's time zone, to the minute. */
export function localMinute(instant: string | number): string {
  return localInstant(instant).slice(0, 16);
}

/** A message of a record, with its instants in the reader's time zone. */
export function withLocalTimes(message: string, now: number): string {
  return withInstants(message, (instant) => shortInstant(Date.parse(instant), now));
}

/** A message about a schedule, with its instants as local times to the minute. */
export function withLocalMinutes(message: string): string {
  return withInstants(message, localMinute);
}

/** The message, with each of its instants replaced by `shown`. */
function withInstants(message: string, shown: (instant: string) => string): string {
  return message.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, shown);
}

const UNITS: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** A duration in milliseconds in at most two units, such as `3 min 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const first = UNITS.findIndex(([size]) => milliseconds >= size);
  let rest = milliseconds;
  return UNITS.slice(first, first + 2)
    .flatMap(([size, unit]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count === 0 ? [] : [`${count} ${unit}`];
    })
    .join(' ');
}

/** A duration in milliseconds in its largest unit, rounded down, such as `12 min`. */
export function roughDuration(milliseconds: number): string {
  const [size, unit] = UNITS.find(([each]) => milliseconds >= each) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}

/** The distance of an instant from `now` as text, such as `12 min ago` or `in 3 s`. */
export function distanceText(at: number, now: number): string {
  if (at > now) return `in ${roughDuration(at - now)}`;
  return now - at < 1000 ? 'now' : `${roughDuration(now - at)} ago`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day of an instant in the reader's time zone, such as `26 Nov`. */
export function dayText(instant: number): string {
  const at = new Date(instant);
  return `${at.getDate()} ${MONTHS[at.getMonth()]}`;
}

/** The local time of an instant to the second; with the day if it is not the day of `now`, and with the year if it is not the year of `now`. */
export function shortInstant(at: number, now: number): string {
  const time = localTime(Math.floor(at / 1000) * 1000);
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return time;
  const year = then.getFullYear() === today.getFullYear() ? '' : ` ${then.getFullYear()}`;
  return `${dayText(at)}${year} ${time}`;
}
