import type { JobPlan } from '../hold-back.ts';
import type { Reason } from '../../../decision/reason.ts';
import { jobExpiry } from '../../../batch/expiry.ts';
import { isoTime } from '../../../ledger/instants.ts';
import type { Situation } from '../situation.ts';
import { nothing, sendOnly } from '../../../decision/verdict.ts';

/**
 * Deletes a finished Job when its TTL has ended, whichever controller manages the Job; until then, waits (J-10.3,
 * J-10.4).
 */
export function ttlAfterFinished({ job, now, settings }: Situation): JobPlan {
  const expiredAt = settings.controllers.includes('ttl') ? jobExpiry(job) : null;
  if (expiredAt === null) return nothing;
  const message = `${job.spec.ttlSecondsAfterFinished} s after the Job finished`;
  if (expiredAt > now) {
    const waiting: Reason = { rule: 'J-10.2', message: `deleted at ${isoTime(expiredAt)}, ${message}` };
    return { commands: [], nextDecisionAt: expiredAt, waiting };
  }
  return sendOnly({ kind: 'DeleteJob', expiredAt, why: { rule: 'J-10.3', message } });
}
