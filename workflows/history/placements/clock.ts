import type { RecordedMember } from './recorded-grants.ts';

/** The API cuts instants to the second; the value is in milliseconds. */
export const CUT_MS = 999;

/**
 * The least lead of the clock of a member's cluster over the clock of Jobledger, in milliseconds; negative when the
 * cluster's clock was behind. The member was created between the decision to create it and the outcome, and the API
 * server wrote the time of the creation. `createdAt` is the time that the API server wrote; null when no record shows
 * it.
 */
export function clockAhead({ grant, knownAt }: RecordedMember, createdAt: number | null): number {
  if (createdAt === null) return 0;
  const least = createdAt - knownAt;
  const most = createdAt + CUT_MS - (grant.askedAt ?? grant.since);
  return Math.max(least, 0) + Math.min(most, 0);
}
