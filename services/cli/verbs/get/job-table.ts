import type { JobView } from '../../../read-model/views.ts';
import { span, spanBetween } from '../../print/spans.ts';
import { table } from '../../print/table.ts';

const TITLES = [
  'CLUSTER',
  'NAMESPACE',
  'NAME',
  'STATUS',
  'SUCCEEDED',
  'FAILED',
  'ACTIVE',
  'DURATION',
  'AGE',
  'WAITING',
];

export function jobTable(jobs: readonly JobView[], now: number): string {
  return table(
    TITLES,
    jobs.map((job) => [
      job.cluster,
      job.namespace,
      job.name,
      job.deleted_at === null ? job.status : `${job.status} (deleted)`,
      progress(job),
      String(job.failed),
      String(job.active),
      duration(job, now) ?? '',
      span(Date.parse(job.created_at ?? job.first_seen_at), now),
      job.waiting_words ?? '',
    ]),
  );
}

/** Like kubectl's completions: of the wanted count, or of 1 when any success completes the Job. */
function progress(job: JobView): string {
  if (job.completions !== null) return `${job.succeeded}/${job.completions}`;
  const parallelism = job.parallelism ?? 1;
  return parallelism > 1 ? `${job.succeeded}/1 of ${parallelism}` : `${job.succeeded}/1`;
}

function duration(job: JobView, now: number): string | null {
  if (job.started_at === null) return null;
  return (
    spanBetween(job.started_at, job.finished_at ?? job.deleted_at) ?? span(Date.parse(job.started_at), now)
  );
}
