import type { PlacedJobFacts } from '../facts.ts';

/** The name of the guard of a member. */
export function guardName(member: string): string {
  return `${member}-guard`;
}

/** The highest number of characters in the name of a Job; the names of its pods begin with that name. */
const LONGEST = 63;

/**
 * The name of the member of a grant. For the first grant this is the name of the Job, unless the member is in the
 * home cluster. Otherwise the name contains the number of the grant, because the Job itself has the name in the home
 * cluster, and because an earlier member is kept. The value is null when the name is too long.
 */
export function memberName(
  { name, cluster: home }: Pick<PlacedJobFacts, 'name' | 'cluster'>,
  { cluster, number }: { cluster: string; number: number },
): string | null {
  const member = number === 1 && cluster !== home ? name : `${name}-m${number}`;
  return member.length > LONGEST ? null : member;
}

/** The number of the grant whose member has this name; null for a name that no member of the Job has. */
export function grantNumberIn(job: string, member: string): number | null {
  if (member === job) return 1;
  const number = member.startsWith(`${job}-m`) ? /^\d+$/.exec(member.slice(job.length + 2))?.[0] : undefined;
  return number === undefined ? null : Number(number);
}
