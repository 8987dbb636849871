import type { ReactElement } from 'react';
import type { ListedJob } from '../api/rows.ts';
import { jobProgress } from './progress.ts';

/** The progress of a Job, as a thin bar with its count. */
export function ProgressBar({ job }: { job: ListedJob }): ReactElement {
  const { succeeded, failed, running, message } = jobProgress(job);
  const { active } = job;
  return (
    <span
      className="progress"
      title={`${job.succeeded} succeeded, ${job.failed} failed pods, ${active} active`}
    >
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect className="track-ground" width="100" height="6" />
        <rect className="fill-succeeded" width={succeeded} height="6" />
        <rect className="fill-failed" x={succeeded} width={failed} height="6" />
        <rect className="fill-running" x={succeeded + failed} width={running} height="6" />
      </svg>
      <span>{message}</span>
    </span>
  );
}
