import { CLUSTERS, IF_CLUSTER_IS_LOST, SPILL_AFTER, SPREAD } from '../../kubernetes/names.ts';
import type { LossPolicy, PlacementPreferences, SpreadBy } from '../facts.ts';

const DEFAULT_SPILL_AFTER_MS = 120_000;
/** The number of characters to which a longer value is cut in a report. */
const LONGEST_REPORTED = 100;
/** The highest number of clusters that an annotation may name. */
const MOST_CLUSTERS = 100;
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const CLUSTER_LIST = `a list of at most ${MOST_CLUSTERS} clusters in order of preference, such as "west, east", or labels of clusters, such as "region=eu, gpu=a100"`;
const DURATION = 'a duration such as 90s, 2m or 1h';
const POLICY = 'Wait, MoveWhenStopped=<duration> or MoveAfter=<duration>, such as MoveAfter=30m';

/** The requests in the annotations of a placed Job (J-16.2). */
export function parsePreferences(texts: Readonly<Record<string, string>> = {}): PlacementPreferences {
  const invalid: string[] = [];
  /** The value of an annotation; null when it is absent or invalid, and an invalid value is reported. */
  const read = <T>(name: string, allowed: string, parse: (text: string) => T | null): T | null => {
    const text = texts[name];
    if (text === undefined) return null;
    const value = parse(text.trim());
    if (value === null) invalid.push(`${name} "${text.slice(0, LONGEST_REPORTED)}" is not ${allowed}`);
    return value;
  };
  const clusters = read(CLUSTERS, CLUSTER_LIST, clustersIn);
  const spillAfterMs = read(SPILL_AFTER, DURATION, durationIn) ?? DEFAULT_SPILL_AFTER_MS;
  const ifLost = read(IF_CLUSTER_IS_LOST, POLICY, policyIn) ?? { kind: 'Wait' };
  const spread = read(SPREAD, 'room, even or price', spreadIn);
  return {
    ...(clusters !== null && clusters !== undefined && { clusters }),
    spillAfterMs,
    ifLost,
    ...(spread !== null && { spread }),
    ...(invalid.length > 0 && { invalid }),
  };
}

/** The duration in milliseconds; null unless the text is a positive number of seconds, minutes or hours. */
function durationIn(text: string): number | null {
  const { number, unit = '' } = /^(?<number>\d{1,6})(?<unit>[smh])$/.exec(text)?.groups ?? {};
  const ms = Number(number) * (UNITS[unit] ?? 0);
  return ms > 0 ? ms : null;
}

/** The order of shares that an annotation names; null for any other text. */
function spreadIn(text: string): SpreadBy | null {
  return text === 'room' || text === 'even' || text === 'price' ? text : null;
}

/** The policy for a lost cluster that an annotation names; null for any other text. */
function policyIn(text: string): LossPolicy | null {
  if (text === 'Wait') return { kind: 'Wait' };
  const [kind, duration = '', ...more] = text.split('=').map((part) => part.trim());
  const afterMs = durationIn(duration);
  if ((kind !== 'MoveWhenStopped' && kind !== 'MoveAfter') || more.length > 0 || afterMs === null)
    return null;
  return { kind, afterMs };
}

/** The clusters that an annotation names, or its label selector; null for any other text. */
function clustersIn(text: string): PlacementPreferences['clusters'] | null {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > MOST_CLUSTERS || new Set(parts).size < parts.length) return null;
  if (parts.every((part) => /^[a-zA-Z0-9](?:[-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(part)))
    return { names: parts };
  const labels: Record<string, string> = {};
  for (const part of parts) {
    const { key, value } =
      /^(?<key>[-_./a-zA-Z0-9]+)\s*=\s*(?<value>[-_.a-zA-Z0-9]*)$/.exec(part)?.groups ?? {};
    if (key === undefined || value === undefined || key in labels) return null;
    labels[key] = value;
  }
  return { labels };
}
