import { countText } from '../../print/counted.ts';
import type { CronJobRunView, CronJobView } from '../../../services/read-model/views/cron-jobs.ts';
import { startLine, zoneOfSchedule } from '../../print/start-line.ts';
import { spanBetween } from '../../print/spans.ts';
import { fields, indented, table } from '../../print/table.ts';

export function cronJobDescription({
  cronJob,
  coming_starts: coming,
  runs,
}: {
  cronJob: CronJobView;
  coming_starts: readonly string[];
  runs: readonly CronJobRunView[];
}): string {
  const labels = Object.entries(cronJob.labels).map(([name, value]) => `${name}=${value}`);
  const deadline = cronJob.starting_deadline_seconds;
  const unseen = cronJob.deletion_seen === false ? ', not observed' : '';
  const failures =
    cronJob.failed_command_count === 0 ? '' : `, ${cronJob.failed_command_count} of them failed`;
  const described = fields([
    ['Name', cronJob.name],
    ['Namespace', cronJob.namespace],
    ['Cluster', cronJob.cluster],
    ['UID', cronJob.uid],
    ['Labels', labels.length === 0 ? null : labels.join(', ')],
    ['Schedule', cronJob.schedule],
    ['Time zone', cronJob.time_zone],
    ['Suspend', cronJob.suspend ? 'yes' : null],
    ['Concurrency policy', cronJob.concurrency_policy],
    ['Starting deadline', deadline === null ? null : `${deadline} s`],
    ['Jobs that are kept', keptJobs(cronJob)],
    ['Created', cronJob.created_at],
    ['Deletion requested', cronJob.deletion_requested_at],
    ['Deleted', cronJob.deleted_at === null ? null : `${cronJob.deleted_at}${unseen}`],
    ['Last schedule', cronJob.last_schedule_time],
    ['Last success', cronJob.last_successful_time],
    ['Active Jobs', cronJob.active === 0 ? null : cronJob.active_jobs.join(', ')],
    [
      'Waiting for',
      cronJob.waiting_message === null ? null : `${cronJob.waiting_message} [${cronJob.waiting_rule}]`,
    ],
    [
      'Decisions',
      `${cronJob.decision_count}, with ${countText(cronJob.command_count, 'command')}${failures}`,
    ],
  ]);
  return [
    described,
    `Coming starts:\n${indented(comingLines(cronJob, coming))}`,
    `Starts:\n${indented(runs.length === 0 ? 'none that Jobledger decided; the SQL view cron_runs has the starts by another controller' : runTable(runs))}`,
  ].join('\n');
}

function comingLines(
  { schedule, time_zone: timeZone, suspend }: CronJobView,
  coming: readonly string[],
): string {
  if (coming.length === 0) return suspend ? 'none: the CronJob is suspended' : 'none';
  const zone = zoneOfSchedule(schedule, timeZone);
  return coming.map((at) => startLine(Date.parse(at), zone)).join('\n');
}

function keptJobs({
  successful_jobs_history_limit: good,
  failed_jobs_history_limit: bad,
}: CronJobView): string {
  return `${good ?? 'all'} successful, ${bad ?? 'all'} failed`;
}

const TITLES = ['SCHEDULED', 'JOB', 'RESULT', 'STATUS', 'DURATION', 'WHY'];

function runTable(runs: readonly CronJobRunView[]): string {
  return table(
    TITLES,
    runs.map((run) => [
      run.scheduled_at ?? '',
      run.job_name,
      run.error === null ? (run.result ?? 'no outcome yet') : `${run.result}: ${run.error}`,
      run.deleted_at === null || run.status === 'Deleted' ? (run.status ?? '') : `${run.status} (deleted)`,
      spanBetween(run.started_at, run.finished_at) ?? '',
      run.message,
    ]),
  );
}
