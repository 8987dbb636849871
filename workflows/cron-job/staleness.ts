import type { StartBasis } from './commands.ts';
import type { CronJobFacts } from './facts.ts';

/**
 * Why a start no longer applies to the CronJob as it is on the server; null when it does. A change of suspension, schedule or
 * policy changes the generation. Without a basis, of a decision below feature level 5, only what the CronJob itself shows counts.
 * `now`: milliseconds since the epoch.
 */
export function stalenessOf(
  { basis, scheduledAt }: { basis?: StartBasis; scheduledAt?: string },
  { deleting, generation, spec }: CronJobFacts,
  now: number,
): string | null {
  if (deleting) return 'the CronJob is being deleted';
  if (spec.suspend === true) return 'the CronJob is suspended';
  if (basis !== undefined && basis.generation !== generation)
    return `the spec has changed: generation ${generation}, decided on ${basis.generation}`;
  const { startingDeadlineSeconds: seconds } = spec;
  const own =
    seconds === undefined || scheduledAt === undefined ? null : Date.parse(scheduledAt) + seconds * 1000;
  const deadline = basis === undefined ? own : basis.deadline;
  return deadline !== null && now > deadline ? 'the starting deadline has passed' : null;
}
