import { ScheduleError } from './field.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const MAX_NANOSECONDS = 2n ** 63n - 1n;
const PART = /^(\d*)(\.\d*)?([^\d.]*)/;

/**
 * Parses a duration like Go's `time.ParseDuration`, in nanoseconds; throws a `ScheduleError` with the text of Go's
 * error.
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw durationError(text);
  let total = 0n;
  for (let rest = unsigned; rest !== '';) {
    const [part, whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [''];
    if (whole === '' && fraction.length < 2) throw durationError(text);
    if (BigInt(whole) > MAX_NANOSECONDS + 1n) throw durationError(text);
    if (unit === '') throw new ScheduleError(`time: missing unit in duration ${quotedDuration(text)}`);
    const size = UNITS[unit];
    if (size === undefined)
      throw new ScheduleError(
        `time: unknown unit ${quotedDuration(unit)} in duration ${quotedDuration(text)}`,
      );
    total += BigInt(whole) * size + parseFraction(fraction.slice(1), size);
    if (total > MAX_NANOSECONDS + (negative ? 1n : 0n)) throw durationError(text);
    rest = rest.slice(part.length);
  }
  return negative ? -total : total;
}

/** The nanoseconds of a fraction; smaller parts of the fraction are dropped. */
function parseFraction(digits: string, unit: bigint): bigint {
  return (BigInt(digits) * unit) / 10n ** BigInt(digits.length);
}

/** The error that Go reports for a text that is no duration. */
function durationError(text: string): ScheduleError {
  return new ScheduleError(`time: invalid duration ${quotedDuration(text)}`);
}

/** Quotes a text like Go's package `time`, which escapes characters other than printable ASCII byte by byte. */
function quotedDuration(text: string): string {
  const characters = Array.from(text).map((character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character >= ' ' && character <= '~') return character;
    return encodeURIComponent(character).startsWith('%')
      ? encodeURIComponent(character)
          .toLowerCase()
          .replaceAll('%', String.raw`\x`)
      : String.raw`\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
  });
  return `"${characters.join('')}"`;
}
