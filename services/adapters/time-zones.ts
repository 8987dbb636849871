import type { ZonePeriod, ZoneRules } from '../../workflows/cron-job/schedule/zone.ts';

const DAY = 86_400;
/** Names that ICU knows in addition to the names of the time-zone database. */
const ONLY_ICU =
  /^(SystemV\/.*|ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST)$/;

/**
 * The rules of a time zone over a period, from this machine's time-zone data (Intl; no other source is read). Two
 * machines may give different rules, so the core never calls this function: the rules are recorded with the decision
 * that used them. For an unknown name, the function returns Go's error.
 */
export function zoneRules(need: ZonePeriod): ZoneRules {
  const offset = offsetReader(need.name);
  if (offset === null) return { ...need, unknown: `unknown time zone ${need.name}` };
  const [from, until] = [Math.floor(need.from / 1000), Math.ceil(need.until / 1000)];
  const offsets: [number, number][] = [[from * 1000, offset(from)]];
  for (let at = from; at < until; at += DAY) {
    const end = Math.min(at + DAY, until);
    if (offset(end) !== offset(at)) offsets.push([transition(offset, at, end) * 1000, offset(end)]);
  }
  return { ...need, offsets };
}

/** True when a time zone of this name exists. */
export function isTimeZone(name: string): boolean {
  return offsetReader(name) !== null;
}

/** Finds the first second of the later offset by bisection; no zone has changed its offset twice within a day. */
function transition(offset: (instant: number) => number, from: number, until: number): number {
  let [before, after] = [from, until];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === offset(from)) before = middle;
    else after = middle;
  }
  return after;
}

/** The offset in seconds at an instant in seconds; null for an unknown zone. */
function offsetReader(name: string): ((instant: number) => number) | null {
  // Newer versions of Node also accept offsets as names, which are excluded.
  if (!/^[A-Za-z]/.test(name) || ONLY_ICU.test(name)) return null;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    return (instant) => offsetIn(format.format(instant * 1000));
  } catch {
    return null;
  }
}

/**
 * The offset in seconds at the end of a text such as `1/2/2026, GMT-03:30`. Only offsets from the time before zones
 * existed have seconds.
 */
function offsetIn(text: string): number {
  const [, sign = '+', hours = 0, minutes = 0, seconds = 0] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
}
