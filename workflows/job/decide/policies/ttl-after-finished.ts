import type { Reason } from '../../reason.ts';
import { terminalCondition } from '../../definitions/conditions.ts';
import { apiErrorDelay } from '../api-retry.ts';
import type { JobFacts } from '../../facts.ts';
import { instantOf, isoTime } from '../../definitions/instants.ts';
import type { Settings } from '../../settings.ts';
import type { JobState } from '../../state.ts';
import { nothing, only, type Verdict } from '../verdict.ts';

type Timed = Pick<JobFacts, 'deleting' | 'spec' | 'status'>;

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

/** Deletes a finished Job when its TTL has ended, whichever controller manages it; waits until then (J-10.3, J-10.4). */
export function ttlAfterFinished(
  state: JobState,
  job: JobFacts,
  now: number,
  { controllers }: Settings,
): Verdict {
  const expiredAt = controllers.includes('ttl') ? expiryOf(job) : null;
  if (expiredAt === null) return nothing;
  const words = `${job.spec.ttlSecondsAfterFinished} s after the Job finished`;
  if (expiredAt > now) {
    const waiting: Reason = { rule: 'J-10.2', words: `deleted at ${isoTime(expiredAt)}, ${words}` };
    return { commands: [], lookAgainAt: expiredAt, waiting };
  }
  const held = apiErrorDelay(state, now, ['DeleteJob']);
  if (held !== null) return { commands: [], ...held };
  return only({ kind: 'DeleteJob', expiredAt, why: { rule: 'J-10.3', words } });
}

/** The transition time of the terminal condition; null without one (J-10.2). */
function finishTimeOf(status: JobFacts['status']): number | null {
  return instantOf(terminalCondition(status)?.lastTransitionTime);
}
