import type { PlacedJobFacts } from '../facts.ts';

/** The name of the guard of a member. */
export function guardName(member: string): string {
  return `${member}-guard`;
}

/** The most characters of a Job's name: those of its pods begin with it. */
const LONGEST = 63;

/**
 * The name of the member of a grant: that of the Job, for the first grant and elsewhere than at home; else with the grant's number,
 * because the name is taken at home, and an earlier member stays. Null when it is too long.
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
