import { quoted } from './go-text.ts';

/** The values of one field of a schedule. */
export interface FieldValues {
  values: number[];
  /** The field is true when one of the ranges is a plain star: `*`, `?`, or a star with step 1 (J-9.3). */
  star: boolean;
}

/** The least and greatest value of a field, and names for some of them. */
export interface FieldBounds {
  min: number;
  max: number;
  names?: readonly string[];
}

/** The reason why a schedule is refused, in the words of the parser of Kubernetes. */
export class ScheduleError extends Error {}

const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Reads one field: ranges between commas (J-9.3). The function throws `ScheduleError`, and only `parseSchedule` calls
 * it.
 */
export function parseField(text: string, bounds: FieldBounds): FieldValues {
  const ranges = text
    .split(',')
    .filter((range) => range !== '')
    .map((range) => parseRange(range, bounds));
  return {
    values: [...new Set(ranges.flatMap(({ values }) => values))].toSorted((a, b) => a - b),
    star: ranges.some(({ star }) => star),
  };
}

/** Parses `number | number "-" number [ "/" number ]`; `a/n` means from `a` to the maximum. */
function parseRange(text: string, bounds: FieldBounds): FieldValues {
  const [range = '', stepText, ...tooMany] = text.split('/');
  const [low = '', high, ...more] = range.split('-');
  let [start, end] = [BigInt(bounds.min), BigInt(bounds.max)];
  const isStar = low === '*' || low === '?';
  if (!isStar) {
    start = numberOrName(low, bounds.names);
    if (more.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
    end = high === undefined ? start : numberOrName(high, bounds.names);
  }
  if (tooMany.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1n : parseInteger(stepText);
  if (stepText !== undefined && high === undefined) end = BigInt(bounds.max);
  throwIf(start < bounds.min, `beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  throwIf(end > bounds.max, `end of range (${end}) above maximum (${bounds.max}): ${text}`);
  throwIf(start > end, `beginning of range (${start}) beyond end of range (${end}): ${text}`);
  throwIf(step === 0n, `step of range should be a positive number: ${text}`);
  const values: number[] = [];
  for (let value = start; value <= end; value += step) values.push(Number(value));
  return { values, star: isStar && step === 1n };
}

/** Throws a `ScheduleError` if the condition is true. */
function throwIf(condition: boolean, message: string): void {
  if (condition) throw new ScheduleError(message);
}

/**
 * Reads a number or a name of a field; a name stands for its position, counted from the minimum of the field, and the
 * case of its letters does not matter.
 */
function numberOrName(text: string, names: readonly string[] | undefined): bigint {
  const place = names?.indexOf(text.toLowerCase()) ?? -1;
  return place < 0 ? parseInteger(text) : BigInt(place);
}

/** Parses an integer like Go's `strconv.Atoi`, with the errors of the parser of Kubernetes. */
function parseInteger(text: string): bigint {
  /** The error for a text that is no integer, with Go's reason. */
  const parseError = (why: string): ScheduleError =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quoted(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw parseError('invalid syntax');
  const number = BigInt(text.replace('+', ''));
  if (number > MAX_INT64 || number < -MAX_INT64 - 1n) throw parseError('value out of range');
  throwIf(number < 0n, `negative number (${number}) not allowed: ${text}`);
  return number;
}
