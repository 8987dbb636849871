const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The instants when the clocks of a zone were set. Instants in milliseconds, offsets in milliseconds east of UTC. */
export interface Transition {
  zone: string;
  at: number;
  before: number;
  after: number;
  /** The amount by which the clocks were set, without sign. */
  shift: number;
}

/** The last time that the clocks of a zone were set forward or back, at least two days ago, by the zone data of this process. */
export function lastTransition(zone: string, direction: 'forward' | 'back'): Transition {
  const offset = zoneOffsets(zone);
  const latest = Math.floor(Date.now() / HOUR) * HOUR - 48 * HOUR;
  for (let end = latest; end > latest - 9600 * HOUR; end -= HOUR) {
    const [before, after] = [offset(end - HOUR), offset(end)];
    if (before === after || after > before !== (direction === 'forward')) continue;
    let at = end - HOUR;
    while (offset(at) === before) at += MINUTE;
    return { zone, at, before, after, shift: Math.abs(after - before) };
  }
  throw new Error(`the clocks of ${zone} were not set ${direction} in the last 400 days`);
}

/** A schedule with one time a year: that of an instant on a clock with this offset. */
export function scheduleAt(at: number, offset: number): string {
  const wall = new Date(at + offset);
  return `${wall.getUTCMinutes()} ${wall.getUTCHours()} ${wall.getUTCDate()} ${wall.getUTCMonth() + 1} *`;
}

function zoneOffsets(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
  };
}
