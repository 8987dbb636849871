import type { ListedCondition, ListedDecision, JobDetails } from '../../api/rows.ts';
import type { TimeSpan } from '../../components/gap-spans.ts';

/** The waits of decisions. A wait lasts until the next decision; the wait of the last decision lasts until the planned next one. */
export function waitSpans(decisions: readonly ListedDecision[]): TimeSpan[] {
  const counted = countedDecisions(decisions);
  return counted.flatMap(({ recorded_at: at, waiting_message: message, next_decision_at: look }, place) => {
    if (message === null) return [];
    const end = counted[place + 1]?.recorded_at ?? look;
    const to = end === null ? null : Date.parse(end);
    return [{ kind: 'wait', from: Date.parse(at), to, message }];
  });
}

/** The decisions in order, without superseded decisions. */
export function countedDecisions(decisions: readonly ListedDecision[]): ListedDecision[] {
  return decisions.filter(({ superseded }) => !superseded).toSorted((a, b) => a.number - b.number);
}

/** The periods in which the condition Suspended was true. */
export function suspensionSpans(conditions: readonly ListedCondition[]): TimeSpan[] {
  const spans: TimeSpan[] = [];
  for (const { type, status, seen_at: seen, last_transition_time: since } of conditions) {
    if (type !== 'Suspended') continue;
    const at = Date.parse(since ?? seen);
    const open = spans.at(-1);
    if (status === 'True' && open?.to !== null)
      spans.push({ kind: 'suspension', from: at, to: null, message: 'suspended' });
    else if (status !== 'True' && open?.to === null) open.to = at;
  }
  return spans;
}

/** The time at which the active deadline ends the Job; null if the Job has no deadline, or has no start time. */
export function jobDeadline(job: Pick<JobDetails, 'started_at' | 'active_deadline_seconds'>): number | null {
  const { started_at: started, active_deadline_seconds: seconds } = job;
  return started === null || seconds === null ? null : Date.parse(started) + seconds * 1000;
}
