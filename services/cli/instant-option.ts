import { instantFrom } from '../../workflows/history/instant.ts';
import { InputError } from '../adapters/errors.ts';

/** Reads the instant that an option gives, in milliseconds since the epoch. @throws InputError when it is none. */
export function instantArgument(option: string): (text: string) => number {
  return (text) => {
    const at = instantFrom(text);
    if (typeof at !== 'number') throw new InputError(`${option}: ${at.words}`);
    return at;
  };
}
