import { stringifyExact } from '../services/adapters/exact-json.ts';
import { write } from './output.ts';

/**
 * Prints a value as JSON, with every digit of its integers. A module apart from the other output, so that `--help` loads no library.
 */
export function writeJson(value: unknown): void {
  write(stringifyExact(value, 2));
}
