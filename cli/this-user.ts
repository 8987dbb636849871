import { userInfo } from 'node:os';
import { InputError } from '../services/adapters/errors.ts';
import { isPrintable } from '../services/adapters/printable.ts';

/**
 * The length in UTF-16 code units. The name is in each command that it explains, and a record of the ledger has a
 * limit.
 */
const LONGEST = 256;

/**
 * The name to record for a person who works on the servers directly: the given name, or that of this machine's user.
 * @throws InputError for a name that could forge the lines in which it is shown, and for one that is too long.
 */
export function thisUser(by: string | undefined): string {
  const name = by ?? process.env['USER'] ?? userInfo().username;
  if (name !== '' && name.length <= LONGEST && isPrintable(name)) return name;
  throw new InputError(
    `the name of the user must have 1 to ${LONGEST} characters, and no control or bidirectional ones`,
  );
}
