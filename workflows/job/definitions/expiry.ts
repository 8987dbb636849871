import type { JobFacts } from '../facts.ts';
import { terminalCondition } from './conditions.ts';
import { instantOf } from './instants.ts';

type Timed = Pick<JobFacts, 'deleting' | 'status'> & {
  spec: Pick<JobFacts['spec'], 'ttlSecondsAfterFinished'>;
};

/**
 * When the TTL of a finished Job ends, in milliseconds; null when it has no `ttlSecondsAfterFinished`, has not finished, or
 * is already being deleted (J-10.1).
 */
export function expiryOf({ deleting, spec, status }: Timed): number | null {
  const { ttlSecondsAfterFinished } = spec;
  if (deleting || ttlSecondsAfterFinished === undefined) return null;
  const finished = finishTimeOf(status);
  return finished === null ? null : finished + ttlSecondsAfterFinished * 1000;
}

/** The transition time of the terminal condition; null without one (J-10.2). */
function finishTimeOf(status: JobFacts['status']): number | null {
  return instantOf(terminalCondition(status)?.lastTransitionTime);
}
