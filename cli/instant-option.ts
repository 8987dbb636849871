import { instantFrom } from '../workflows/history/instant.ts';
import type { Refused } from '../workflows/history/refused.ts';
import { InputError } from '../services/adapters/errors.ts';
import { durationIn } from './duration.ts';

/** Parses an instant option to milliseconds since 1970. @throws InputError for an invalid instant. */
export function instantArgument(option: string): (text: string) => number {
  return (text) => {
    const at = instantFrom(text);
    if (typeof at !== 'number') throw new InputError(`${option}: ${at.message}`);
    return at;
  };
}

/**
 * Parses an instant, or a duration before now such as `12h`, to milliseconds since 1970. @throws InputError for any
 * other text.
 */
export function sinceArgument(option: string): (text: string) => number {
  return (text) => {
    const at = sinceIn(text);
    if (typeof at !== 'number') throw new InputError(`${option}: ${at.message}`);
    return at;
  };
}

/** An instant, or a duration before now, in milliseconds since 1970. */
export function sinceIn(text: string): number | Refused {
  const length = durationIn(text);
  if (length !== null) return Date.now() - length;
  const at = instantFrom(text);
  if (typeof at === 'number') return at;
  return { ...at, message: `${at.message}; or a duration before now, such as 12h, 1h30m or 7d` };
}
