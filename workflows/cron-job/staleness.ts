import type { StartPreconditions } from './commands.ts';
import type { CronJobFacts } from './facts.ts';

/**
 * The reason why a start no longer applies to the present CronJob on the server; null when the start still applies. A
 * change of suspension, schedule or policy changes the generation. `now` is in milliseconds since 1970.
 */
export function startStaleness(
  preconditions: StartPreconditions,
  { deleting, generation, spec }: CronJobFacts,
  now: number,
): string | null {
  if (deleting) return 'the CronJob is being deleted';
  if (spec.suspend === true) return 'the CronJob is suspended';
  if (preconditions.generation !== generation)
    return `the spec has changed: generation ${generation}, decided on ${preconditions.generation}`;
  const { deadline } = preconditions;
  return deadline !== null && now > deadline ? 'the starting deadline has passed' : null;
}
