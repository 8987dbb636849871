import type { RecordedMember } from './grants.ts';

/** Instants of the API are cut to the second, in milliseconds. */
export const CUT_MS = 999;

/**
 * The least lead of the clock of a member's cluster over Jobledger's, in milliseconds; negative when it was behind. The member was created between
 * the decision to create it and the outcome, and the API server wrote the time of the creation. `createdAt` is that time; null when no record shows
 * it.
 */
export function clockAhead({ grant, knownAt }: RecordedMember, createdAt: number | null): number {
  if (createdAt === null) return 0;
  const least = createdAt - knownAt;
  const most = createdAt + CUT_MS - (grant.askedAt ?? grant.since);
  return Math.max(least, 0) + Math.min(most, 0);
}
