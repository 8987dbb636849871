import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { statusCell, waitText } from '../../print/situation.ts';
import { span, spanBetween } from '../../print/spans.ts';

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
  'REASON',
  'WAITING FOR',
];

const WIDE_TITLES = ['KUBECTL STATUS', 'CONTROLLER', 'STARTED', 'FINISHED', 'DECISIONS', 'UID'];

export function jobTitles(isWide: boolean): string[] {
  return isWide ? [...TITLES, ...WIDE_TITLES] : TITLES;
}

export function jobCells(job: JobView, now: number, isWide: boolean): string[] {
  return [
    placeCell(job),
    job.namespace,
    job.name,
    statusCell(job),
    progressCell(job),
    String(job.failed),
    String(job.active),
    durationCell(job, now) ?? '',
    span(Date.parse(job.created_at ?? job.first_seen_at), now),
    job.reason ?? '',
    waitText(job) ?? '',
    ...(isWide
      ? [
          job.kubectl_status,
          job.claimed ? 'Jobledger' : (job.managed_by ?? "the cluster's own"),
          job.started_at ?? '',
          job.finished_at ?? '',
          String(job.decision_count),
          job.uid,
        ]
      : []),
  ];
}

/** The cluster of a Job; for a placed Job, also the cluster where it runs. */
function placeCell({ cluster, placed_in: placedIn }: JobView): string {
  return placedIn === null ? cluster : `${cluster} → ${placedIn}`;
}

/** Like kubectl's completions: of the wanted count, or of 1 when any success completes the Job. */
function progressCell(job: JobView): string {
  if (job.completions !== null) return `${job.succeeded}/${job.completions}`;
  const parallelism = job.parallelism ?? 1;
  return parallelism > 1 ? `${job.succeeded}/1 of ${parallelism}` : `${job.succeeded}/1`;
}

function durationCell(job: JobView, now: number): string | null {
  if (job.started_at === null) return null;
  return (
    spanBetween(job.started_at, job.finished_at ?? job.deleted_at) ?? span(Date.parse(job.started_at), now)
  );
}
