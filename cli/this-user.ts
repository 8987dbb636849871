import { userInfo } from 'node:os';
import { InputError } from '../services/adapters/errors.ts';
import { isPrintable } from '../services/adapters/printable.ts';

/**
 * The name to record for a person who works on the servers directly: the given name, or that of this machine's user.
 * @throws InputError for a name that could forge the lines in which it is shown.
 */
export function thisUser(by: string | undefined): string {
  const name = by ?? process.env['USER'] ?? userInfo().username;
  if (name !== '' && isPrintable(name)) return name;
  throw new InputError(
    'the name of the user must not be empty or contain control or bidirectional characters',
  );
}
