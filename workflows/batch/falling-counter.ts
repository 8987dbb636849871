import { difference, formatIndexes, parseIndexes, countIndexes } from './completion-indexes.ts';
import type { JobSpec, JobStatus } from '../kubernetes/objects.ts';
import { toFindings, type BrokenInvariant } from '../decision/invariants/broken.ts';

/**
 * The counters that would fall when the status `from` of a Job is replaced by the status `to`. `failed` must not fall.
 * In a Job that is not Indexed, `succeeded` must not fall. In an Indexed Job, a completed index below `completions`
 * must stay completed; `succeeded` may fall there, because it falls when `completions` falls (J-5.36).
 */
export function fallingCounter(
  { completions, completionMode }: Pick<JobSpec, 'completions' | 'completionMode'>,
  { from, to }: { from: JobStatus; to: JobStatus },
): BrokenInvariant[] {
  const messages: string[] = [];
  const [failed, nextFailed] = [from.failed ?? 0, to.failed ?? 0];
  if (nextFailed < failed) messages.push(`failed would fall from ${failed} to ${nextFailed}`);
  if (completionMode === 'Indexed') {
    /** The completed indexes of a status that the Job still has. */
    const parseCompleted = (status: JobStatus) =>
      parseIndexes(status.completedIndexes ?? '', completions ?? 0);
    const lost = difference(parseCompleted(from), parseCompleted(to));
    if (countIndexes(lost) > 0) messages.push(`the completed indexes ${formatIndexes(lost)} would be lost`);
  } else {
    const [succeeded, next] = [from.succeeded ?? 0, to.succeeded ?? 0];
    if (next < succeeded) messages.push(`succeeded would fall from ${succeeded} to ${next}`);
  }
  return toFindings('falling-counter', messages);
}
