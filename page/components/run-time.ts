import type { ListedJob } from '../api/rows.ts';
import { duration, roughDuration } from './instants.ts';

/** The run time of a Job up to its end or to now; a dash before its start. */
export function runTime(
  job: Pick<ListedJob, 'started_at' | 'finished_at' | 'deleted_at'>,
  now: number,
): string {
  const { started_at: started, finished_at: finished, deleted_at: deleted } = job;
  if (started === null) return '–';
  const end = finished ?? deleted;
  const length = (end === null ? now : Date.parse(end)) - Date.parse(started);
  if (end === null && length < 1000) return roughDuration(0);
  return duration(Math.max(0, length < 1000 ? length : Math.floor(length / 1000) * 1000));
}
