import type { CronJobView } from '../../../read-model/views.ts';
import { span } from '../../print/spans.ts';
import { table } from '../../print/table.ts';

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

export function cronJobTable(cronJobs: readonly CronJobView[], now: number): string {
  return table(
    TITLES,
    cronJobs.map((cronJob) => [
      cronJob.cluster,
      cronJob.namespace,
      cronJob.deleted_at === null ? cronJob.name : `${cronJob.name} (deleted)`,
      cronJob.schedule ?? '',
      cronJob.time_zone ?? '',
      String(cronJob.suspend),
      String(cronJob.active),
      cronJob.last_schedule_time === null ? '' : span(Date.parse(cronJob.last_schedule_time), now),
      span(Date.parse(cronJob.created_at ?? cronJob.first_seen_at), now),
      cronJob.waiting_words ?? '',
    ]),
  );
}
