import type { StartBasis } from './commands.ts';
import type { CronJobFacts } from './facts.ts';

/**
 * Why a start no longer applies to the CronJob as it is on the server; null when it does. A change of suspension, schedule or
 * policy changes the generation. `now`: milliseconds since the epoch.
 */
export function stalenessOf(
  basis: StartBasis,
  { deleting, generation, spec }: CronJobFacts,
  now: number,
): string | null {
  if (deleting) return 'the CronJob is being deleted';
  if (spec.suspend === true) return 'the CronJob is suspended';
  if (basis.generation !== generation)
    return `the spec has changed: generation ${generation}, decided on ${basis.generation}`;
  const { deadline } = basis;
  return deadline !== null && now > deadline ? 'the starting deadline has passed' : null;
}
