import { DEFAULT_BACKOFF_LIMIT } from '../../../batch/limits.ts';
import type { Rule } from '../../../decision/rule.ts';
import type { Ending } from '../../../batch/ending.ts';
import type { Tally } from '../tally.ts';

/**
 * The end of a Job that has more failed pods than `backoffLimit` (J-6.1), or too many restarts under OnFailure
 * (J-6.4).
 */
export function backoffLimitReached(tally: Tally): Ending | null {
  const limit = tally.job.spec.backoffLimit ?? DEFAULT_BACKOFF_LIMIT;
  if (tally.failed > limit) return limitEnding('J-6.1', excessText(tally.failed, 'failed pod', limit));
  const restarts = countRestarts(tally);
  if (tally.job.restartPolicy === 'OnFailure' && restarts > 0 && restarts >= limit)
    return limitEnding('J-6.4', excessText(restarts, 'container restart', limit));
  return null;
}

/** The container restarts of all Pending and Running pods, including terminating pods. */
function countRestarts({ active, terminating }: Tally): number {
  return [...active, ...terminating]
    .filter(({ pod }) => pod.phase === undefined || pod.phase === 'Pending')
    .reduce((sum, { pod }) => sum + (pod.restarts ?? 0), 0);
}

/** A number that exceeds a limit, as text. */
function excessText(count: number, what: string, limit: number): string {
  return `${count} ${what}${count === 1 ? '' : 's'}, the limit is ${limit}`;
}

/** The end of a Job that has reached its back-off limit. */
function limitEnding(rule: Rule, message: string): Ending {
  return {
    type: 'Failed',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
    isStored: false,
    why: { rule, message },
  };
}
