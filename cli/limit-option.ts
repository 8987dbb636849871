import { InvalidArgumentError } from 'commander';

/** Parses the largest number of rows to show. @throws InvalidArgumentError unless it is a whole number from 1 to 9999999. */
export function limitArgument(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
