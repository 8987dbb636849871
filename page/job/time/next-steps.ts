import type { JobDetails, ListedDecision } from '../../api/rows.ts';
import { waitText } from '../decisions/decision-text.ts';
import { countText } from '../../components/count-text.ts';
import { jobDeadline } from '../life/spans.ts';

/** A next step of a Job that was known at an instant. */
export interface NextStep {
  message: string;
  /** The time of the next step, in milliseconds since 1970; null when it is not known. */
  at: number | null;
}

/**
 * The next steps of the Job that were known at `at`. `failed` is the number of failed pods that were counted at this instant.
 */
export function nextSteps(
  job: JobDetails,
  decisions: readonly ListedDecision[],
  { at, failed }: { at: number; failed: number },
): NextStep[] {
  const latest = decisions.findLast(({ recorded_at: recorded }) => Date.parse(recorded) <= at);
  const hasEnded = job.finished_at !== null && Date.parse(job.finished_at) <= at;
  const isGone = job.deleted_at !== null && Date.parse(job.deleted_at) <= at;
  if (isGone) return [];
  const steps: NextStep[] = [];
  if (latest !== undefined && latest.waiting_message !== null)
    steps.push({ message: waitText(latest.waiting_message), at: parseInstant(latest.next_decision_at) });
  if (hasEnded) return steps;
  const deadline = jobDeadline(job);
  if (deadline !== null && deadline > at) steps.push({ message: 'The deadline ends the Job', at: deadline });
  if (job.backoff_limit !== null && failed <= job.backoff_limit)
    steps.push({
      message: `${countText(job.backoff_limit + 1 - failed, 'more failed pod ends', 'more failed pods end')} the Job`,
      at: null,
    });
  return steps;
}

/** Converts an instant to milliseconds since 1970; null stays null. */
function parseInstant(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
