import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, errorMessage } from '../adapters/errors.ts';
import { splitList } from '../adapters/config.ts';
import { DEFAULT_OWN_USERS } from './users.ts';

/** The settings of every service that reads audit logs. */
export const auditLogEnvironment = z.object({
  JOBLEDGER_AUDIT_OWN_USERS: z.string().default(DEFAULT_OWN_USERS.join(',')).transform(splitList),
  JOBLEDGER_AUDIT_NAME_KEY_FILE: z.string().min(1).optional(),
});
export type AuditLogConfig = z.infer<typeof auditLogEnvironment>;

/** The shortest key, in bytes. */
const SHORTEST_KEY = 32;
/** The length of a pseudonym: with 96 bits, two of a million names get the same pseudonym in one of 10^17 installations. */
const DIGITS = 24;

/** The users whose requests are not recorded, and the names to record for other users. */
export function createUserNames(config: AuditLogConfig): {
  ownUsers: ReadonlySet<string>;
  recordedName: (name: string) => string;
} {
  const key = readKey(config.JOBLEDGER_AUDIT_NAME_KEY_FILE);
  return { ownUsers: new Set(config.JOBLEDGER_AUDIT_OWN_USERS), recordedName: createRecordedName(key) };
}

/**
 * Returns the function that maps a name to its recorded name. With a key, each name becomes a pseudonym, except names
 * of Kubernetes itself, which name programs.
 */
export function createRecordedName(key: Buffer | null): (name: string) => string {
  if (key === null) return (name) => name;
  return (name) =>
    name.startsWith('system:')
      ? name
      : `user-${createHmac('sha256', key).update(name).digest('hex').slice(0, DIGITS)}`;
}

/** Reads the key from its file. @throws InputError, whose text never contains the key. */
function readKey(file: string | undefined): Buffer | null {
  if (file === undefined) return null;
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    throw new InputError(`JOBLEDGER_AUDIT_NAME_KEY_FILE: ${file} cannot be read: ${errorMessage(error)}`);
  }
  if (key.length >= SHORTEST_KEY) return key;
  throw new InputError(
    `JOBLEDGER_AUDIT_NAME_KEY_FILE: ${file} has ${key.length} bytes; a key has at least ${SHORTEST_KEY}: head -c 32 /dev/urandom > FILE`,
  );
}
