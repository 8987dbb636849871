import type { Reason } from '../../reason.ts';
import { expiryOf } from '../../definitions/expiry.ts';
import { apiErrorDelay } from '../api-retry.ts';
import type { JobFacts } from '../../facts.ts';
import { isoTime } from '../../definitions/instants.ts';
import type { Settings } from '../../settings.ts';
import type { JobState } from '../../state.ts';
import { nothing, only, type Verdict } from '../verdict.ts';

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
