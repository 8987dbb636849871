/**
 * An instant on the clocks of a time zone, with its offset. If the clocks show this time twice, as at the end of daylight saving time, the text distinguishes
 * the first instant from the second. `at` is in milliseconds.
 */
export function localTime(at: number, zone: string): string {
  const [wall, offset] = wallClockTime(at, zone);
  // True when the clocks also show this time after `shift` milliseconds.
  const shows = (shift: number): boolean => wallClockTime(at + shift, zone)[0] === wall;
  const which = SHIFTS.some((shift) => shows(shift)) ? ', the first of the two' : '';
  const second = SHIFTS.some((shift) => shows(-shift)) ? ', the second of the two' : '';
  return `${wall} ${offset} ${zone}${which}${second}`;
}

/** The numbers of milliseconds by which clocks may be set back. */
const SHIFTS = [3_600_000, 1_800_000];

/** The date and time that the clocks of a time zone show, and their offset from UTC. */
function wallClockTime(at: number, zone: string): [wall: string, offset: string] {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    dateStyle: undefined,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(at);
  // The part of the formatted time that has this type.
  const partOf = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? '';
  const offset = partOf('timeZoneName').replace('GMT', '');
  return [
    `${partOf('year')}-${partOf('month')}-${partOf('day')} ${partOf('hour')}:${partOf('minute')}`,
    offset === '' ? '+00:00' : offset,
  ];
}
