import { readAccess, type AccessEntry } from '../../services/api/access/tokens.ts';

/** The lines of a file of tokens, all of which must be valid. */
export function accessEntriesIn(text: string, file: string): AccessEntry[] {
  const { entries, refused } = readAccess(text, file);
  if (refused.length > 0 || entries.length === 0) throw new Error(refused.join('\n') || 'no token');
  return entries;
}
