import { userInfo } from 'node:os';
import { InputError } from '../services/adapters/errors.ts';
import { isPrintable } from '../services/adapters/printable.ts';

/**
 * The longest user name, in UTF-16 code units: the ledger's records have a size limit, and the name is in each command that the user caused.
 */
const LONGEST = 256;

/**
 * The name to record for a person who works on the servers directly: the given name, or the name of this machine's user. @throws InputError for a
 * name that is too long, or that could forge other lines of the output.
 */
export function thisUser(by: string | undefined): string {
  const name = by ?? process.env['USER'] ?? userInfo().username;
  if (name !== '' && name.length <= LONGEST && isPrintable(name)) return name;
  throw new InputError(
    `the name of the user must have 1 to ${LONGEST} characters, and no control or bidirectional characters`,
  );
}
