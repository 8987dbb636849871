import type { CronJobView } from '../../../services/read-model/views/cron-jobs.ts';
import { span } from '../../print/spans.ts';

const TITLES = [
  'CLUSTER',
  'NAMESPACE',
  'NAME',
  'SCHEDULE',
  'TIMEZONE',
  'SUSPEND',
  'ACTIVE',
  'LAST SCHEDULE',
  'AGE',
  'WAITING',
];

const WIDE_TITLES = ['CONCURRENCY', 'ACTIVE JOBS', 'LAST SUCCESS', 'UID'];

export function cronJobTitles(isWide: boolean): string[] {
  return isWide ? [...TITLES, ...WIDE_TITLES] : TITLES;
}

export function cronJobCells(cronJob: CronJobView, now: number, isWide: boolean): string[] {
  return [
    cronJob.cluster,
    cronJob.namespace,
    cronJob.deleted_at === null ? cronJob.name : `${cronJob.name} (deleted)`,
    cronJob.schedule ?? '',
    cronJob.time_zone ?? '',
    String(cronJob.suspend),
    String(cronJob.active),
    cronJob.last_schedule_time === null ? '' : span(Date.parse(cronJob.last_schedule_time), now),
    span(Date.parse(cronJob.created_at ?? cronJob.first_seen_at), now),
    cronJob.waiting_message ?? '',
    ...(isWide
      ? [
          cronJob.concurrency_policy ?? '',
          cronJob.active_jobs.join(', '),
          cronJob.last_successful_time ?? '',
          cronJob.uid,
        ]
      : []),
  ];
}
