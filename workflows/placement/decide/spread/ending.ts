import { toEndType, INTERIM_CONDITION, trueCondition, type EndType } from '../../../batch/conditions.ts';
import {
  DEADLINE_EXCEEDED,
  failedIndexesLimitReached,
  DEFAULT_BACKOFF_LIMIT,
} from '../../../batch/limits.ts';
import { successPolicyMet } from '../../../batch/success-policy.ts';
import type { Reason } from '../../../decision/reason.ts';
import { openParts } from '../../definitions/parts.ts';
import { placedDeadline } from '../deadline.ts';
import { endOfJob } from '../member-end.ts';
import type { PlacementSituation } from '../situation.ts';
import type { Totals } from './totals.ts';

/** The end of the whole Job. */
export interface WholeEnd {
  type: EndType;
  reason: string;
  message: string;
  why: Reason;
  /** The home has the interim condition, so no later change by the author of the Job changes the end. */
  isStored?: boolean;
}

/**
 * The limits and policies of a Job over the sums of its members (J-17.6). The whole Job also reaches a limit that a
 * member reaches alone, so the end of the member counts. The checks have the order of the checks of an ordinary Job
 * (J-3.52).
 */
export function wholeEnd(at: PlacementSituation, totals: Totals): WholeEnd | null {
  const { job } = at;
  const indexes = totals.finished;
  return (
    storedEnd(at) ??
    endOfMember(at, 'Failed') ??
    backoffLimit(at, totals) ??
    deadlinePassed(at) ??
    failedIndexesLimitReached({ job, indexes, completions: job.spec.completions }) ??
    successPolicyMet({ job, indexes }) ??
    endOfMember(at, 'Complete') ??
    completionEnd(at, totals)
  );
}

/** The end that the interim condition of the Job shows; null without such a condition. */
function storedEnd({ job }: PlacementSituation): WholeEnd | null {
  for (const type of ['Complete', 'Failed'] as const) {
    const interim = trueCondition(job.status, INTERIM_CONDITION[type]);
    if (interim === undefined) continue;
    const { reason = '', message = '' } = interim;
    return {
      type,
      reason,
      message,
      why: { rule: 'J-3.52', message: `${interim.type} stands: ${message}` },
      isStored: true,
    };
  }
  return null;
}

/** The first end of this type among the members; null when no member has such an end. */
function endOfMember(at: PlacementSituation, wanted: EndType): WholeEnd | null {
  for (const grant of openParts(at.state)) {
    const { cluster } = grant;
    const end = endOfJob(at, grant);
    const type = end === undefined ? null : toEndType(end.type);
    if (end === undefined || type !== wanted) continue;
    const { reason = '', message = '' } = end;
    const text = `the member in the cluster ${cluster} has ended: ${message}`;
    return { type, reason, message, why: { rule: 'J-17.6', message: text } };
  }
  return null;
}

/** The end of a spread Job that has more failed pods than `backoffLimit`. */
function backoffLimit({ job }: PlacementSituation, { failed }: Totals): WholeEnd | null {
  const { backoffLimit: limit = DEFAULT_BACKOFF_LIMIT } = job.spec;
  if (failed <= limit) return null;
  const message = 'Job has reached the specified backoff limit';
  const text = `${failed} failed pods in all clusters, the limit is ${limit}`;
  return {
    type: 'Failed',
    reason: 'BackoffLimitExceeded',
    message,
    why: { rule: 'J-6.1', message: text },
  };
}

/** The end of a spread Job whose deadline has passed. */
function deadlinePassed(at: PlacementSituation): WholeEnd | null {
  const deadline = placedDeadline(at);
  if (deadline === null || deadline > at.now) return null;
  return {
    type: 'Failed',
    ...DEADLINE_EXCEEDED,
    why: { rule: 'J-6.5', message: DEADLINE_EXCEEDED.message },
  };
}

/** The end of a spread Job whose completions are all reached; null before this end. */
function completionEnd({ job }: PlacementSituation, { succeeded, active }: Totals): WholeEnd | null {
  const { completions = 0 } = job.spec;
  if (succeeded < completions || active > 0) return null;
  const message = 'Reached expected number of succeeded pods';
  const text = `${succeeded} succeeded of ${completions}, none active`;
  return {
    type: 'Complete',
    reason: 'CompletionsReached',
    message,
    why: { rule: 'J-6.30', message: text },
  };
}
