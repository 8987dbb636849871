import { userInfo } from 'node:os';
import { InputError } from '../services/adapters/errors.ts';
import { isPrintable } from '../services/adapters/printable.ts';

/**
 * The name to record for what a person does with the servers directly: the given one, or that of the user of this machine.
 * @throws InputError for a name that could forge the lines in which it is shown.
 */
export function thisUser(by: string | undefined): string {
  const name = by ?? process.env['USER'] ?? userInfo().username;
  if (name !== '' && isPrintable(name)) return name;
  throw new InputError(
    'the name of the user must not be empty or contain control or bidirectional characters',
  );
}
