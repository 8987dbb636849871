import { instantFrom } from '../workflows/history/instant.ts';
import { InputError } from '../services/adapters/errors.ts';

/** Parses an instant option to milliseconds since the epoch. @throws InputError for an invalid instant. */
export function instantArgument(option: string): (text: string) => number {
  return (text) => {
    const at = instantFrom(text);
    if (typeof at !== 'number') throw new InputError(`${option}: ${at.words}`);
    return at;
  };
}
