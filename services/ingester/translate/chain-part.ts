import { terminalCondition } from '../../../workflows/batch/conditions.ts';
import { apiTime } from '../../../workflows/ledger/instants.ts';
import type { AwaitedJob } from '../../../workflows/job/events.ts';
import type { JobFacts } from '../../../workflows/batch/facts.ts';
import type { LiveJob } from '../live-set/live-set.ts';

/** The part of a live Job that chains of Jobs depend on: the awaited Jobs, or the end of the Job. */
export function chainPart(
  facts: JobFacts,
  createdAt: string,
): Pick<LiveJob, 'waitsFor' | 'createdAt' | 'end'> {
  const end = jobEnd(facts);
  if (end !== undefined) return { end };
  const after = facts.annotations?.after;
  if (after === undefined || facts.spec.suspend !== true || facts.deleting) return {};
  return { waitsFor: after.map(({ job }) => job), createdAt };
}

/**
 * The longest reason that is recorded for waiting Jobs, in characters, because any number of Jobs can wait for one
 * Job.
 */
const LONGEST_REASON = 253;

/** The end of a Job; undefined while the Job has not ended. */
export function jobEnd({ status }: JobFacts): AwaitedJob['end'] {
  const condition = terminalCondition(status);
  if (condition === undefined) return undefined;
  return {
    type: condition.type === 'Complete' ? 'Complete' : 'Failed',
    reason: (condition.reason ?? '').slice(0, LONGEST_REASON).toWellFormed(),
    at: condition.lastTransitionTime ?? apiTime(0),
  };
}
