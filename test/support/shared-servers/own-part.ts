import { randomBytes } from 'node:crypto';
import type { Addresses } from '../../../infra/local/state/addresses.ts';

/** The part of a shared server that belongs to one test file. */
export interface OwnPart {
  /** Those of the server, with what is the file's own. */
  addresses: Addresses;
  ledgerTopic?: string;
  /** Deletes it. What processes of the file still do with it then fails, and disturbs no other file. */
  release(): Promise<void>;
}

/** A name that no other file has. */
export function uniqueName(): string {
  return `test_${randomBytes(4).toString('hex')}`;
}
