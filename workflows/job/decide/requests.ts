import type { JobPlan } from './hold-back.ts';
import type { Reason } from '../../decision/reason.ts';
import { commandPreconditions } from '../definitions/preconditions.ts';
import { isFinished } from '../../batch/conditions.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { JobState } from '../state.ts';
import { sendOnly } from '../../decision/verdict.ts';

/**
 * Carries out the oldest request of a user as a PATCH of `spec.suspend`; the ordinary rules then apply to the changed
 * Job (J-6.41, J-6.42). The Job continues while the API server refuses the PATCH.
 */
export function answerRequest(state: JobState, job: JobFacts | null): JobPlan | null {
  const request = state.requests[0];
  if (request === undefined) return null;
  const suspend = request.action === 'suspend';
  if (job === null) return refuseRequest(request, 'the Job does not exist any more');
  const refusal = refusalReason(job, suspend);
  if (refusal !== null) return refuseRequest(request, refusal);
  const why: Reason = {
    rule: suspend ? 'J-6.41' : 'J-6.42',
    message: `${request.action} asked for by ${request.by}`,
  };
  return sendOnly({
    kind: 'SetSuspend',
    suspend,
    request: request.id,
    preconditions: commandPreconditions(job, null),
    why,
  });
}

/** The plan that refuses a request of a user. */
function refuseRequest({ id, action, by }: JobState['requests'][number], refusal: string): JobPlan {
  const why: Reason = { rule: 'J-6.37', message: `the ${action} by ${by} is refused: ${refusal}` };
  return sendOnly({ kind: 'RefuseRequest', request: id, why });
}

/** The reason why a request of a user is refused; null when it can be carried out. */
function refusalReason(job: JobFacts, suspend: boolean): string | null {
  if (isFinished(job.status)) return 'the Job has finished';
  if (job.deleting) return 'the Job is being deleted';
  const { placedFor } = job.annotations ?? {};
  if (placedFor !== undefined) return `it runs for the placed Job ${placedFor}: ask for it there`;
  if ((job.spec.suspend ?? false) === suspend)
    return suspend ? 'it is suspended already' : 'it is not suspended';
  return null;
}
