import { jobDeadline } from './spans.ts';
import { rangeAround, type TimeRange } from './time-range.ts';
import type { JobLife } from './job-life.ts';

/** The range from the first to the last known instant of a Job; if the Job has not ended, the range reaches at least to now. */
export function wholeRange({ job, pods, decisions }: JobLife): TimeRange {
  const isOver = job.finished_at !== null || job.deleted_at !== null;
  const deadline = jobDeadline(job);
  const known = [
    job.created_at,
    job.first_seen_at,
    job.started_at,
    job.finished_at,
    ...pods.flatMap((pod) => [pod.created_at, pod.finished_at]),
    ...decisions.flatMap(({ recorded_at: at, next_decision_at: look }) => (isOver ? [at] : [at, look])),
  ].flatMap((text) => (text === null ? [] : [Date.parse(text)]));
  return rangeAround(isOver ? known : [...known, Date.now(), ...(deadline === null ? [] : [deadline])]);
}
