import type { JobFacts } from './facts.ts';
import { terminalCondition } from './conditions.ts';
import { parseInstant } from '../ledger/instants.ts';

type Timed = Pick<JobFacts, 'deleting' | 'status'> & {
  spec: Pick<JobFacts['spec'], 'ttlSecondsAfterFinished'>;
};

/**
 * The end of the TTL of a finished Job, in milliseconds; null when it has no `ttlSecondsAfterFinished`, has not
 * finished, or is already being deleted (J-10.1).
 */
export function jobExpiry({ deleting, spec, status }: Timed): number | null {
  const { ttlSecondsAfterFinished } = spec;
  if (deleting || ttlSecondsAfterFinished === undefined) return null;
  const finished = finishTime(status);
  return finished === null ? null : finished + ttlSecondsAfterFinished * 1000;
}

/** The transition time of the terminal condition; null without such a condition (J-10.2). */
function finishTime(status: JobFacts['status']): number | null {
  return parseInstant(terminalCondition(status)?.lastTransitionTime);
}
