import type { Reason } from '../reason.ts';
import { apiErrorDelay } from './api-retry.ts';
import { basisOf } from '../definitions/basis.ts';
import { isFinished } from '../definitions/conditions.ts';
import type { JobFacts } from '../facts.ts';
import type { JobState } from '../state.ts';
import { only, type Verdict } from './verdict.ts';

/** Carries out the oldest request of a user as a PATCH of `spec.suspend`; the normal rules do the rest (J-6.41, J-6.42). */
export function answerRequests(state: JobState, job: JobFacts | null, now: number): Verdict | null {
  const request = state.requests[0];
  if (request === undefined) return null;
  const suspend = request.command === 'suspend';
  const refusal = refusalOf(job, suspend);
  if (refusal !== null) {
    return only({
      kind: 'RefuseRequest',
      request: request.id,
      why: { rule: 'J-6.37', words: `${request.command} by ${request.by} refused: ${refusal}` },
    });
  }
  // While the API server refuses it, the Job continues.
  if (requestHeldUntil(state, now) !== null) return null;
  const why: Reason = {
    rule: suspend ? 'J-6.41' : 'J-6.42',
    words: `${request.command} asked for by ${request.by}`,
  };
  const basis = job === null ? {} : { basis: basisOf(job, null) };
  return only({ kind: 'SetSuspend', suspend, request: request.id, ...basis, why });
}

/** Until when a refused request is held back, in milliseconds; null when none is. */
export function requestHeldUntil(state: JobState, now: number): number | null {
  return state.requests.length === 0
    ? null
    : (apiErrorDelay(state, now, ['SetSuspend'])?.lookAgainAt ?? null);
}

function refusalOf(job: JobFacts | null, suspend: boolean): string | null {
  if (job === null) return 'the Job does not exist any more';
  if (isFinished(job.status)) return 'the Job has finished';
  if (job.deleting) return 'the Job is being deleted';
  if ((job.spec.suspend ?? false) === suspend)
    return suspend ? 'it is suspended already' : 'it is not suspended';
  return null;
}
