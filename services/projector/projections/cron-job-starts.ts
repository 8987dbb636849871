import type { CronCommandAnswered, CronJobDecided } from '../../../workflows/cron-job/events.ts';
import type { CronJobRow, CronJobStartRow } from '../../read-model/tables/cron-jobs.ts';
import { apiErrorIn } from './answers.ts';
import { instantAt, timestampOf } from './instants.ts';

/** The attempts of a decision to create Jobs, before their outcomes. */
export function pendingStarts(
  { namespace, name }: CronJobRow,
  { id, data }: CronJobDecided,
): CronJobStartRow[] {
  const replaced = data.commands.flatMap((each) => (each.kind === 'ReplaceJobs' ? each.jobs : []));
  return data.commands.flatMap((each, command) =>
    each.kind === 'CreateJob'
      ? [
          {
            cluster: data.cluster,
            cron_job_uid: data.cronJobUid,
            decision: id,
            command,
            namespace,
            cron_job_name: name,
            scheduled_at: timestampOf(each.scheduledAt),
            decided_at: instantAt(data.now),
            job_name: each.name,
            rule: each.why.rule,
            words: each.why.words,
            replaced: replaced.map((job) => job.name),
            result: null,
            error: null,
            job_uid: null,
            answered_at: null,
          },
        ]
      : [],
  );
}

/** An attempt after its outcome; empty when the outcome is of another command, or the attempt is unknown. */
export function answeredStart(
  asked: CronJobStartRow | undefined,
  { data: { answer } }: CronCommandAnswered,
): CronJobStartRow[] {
  const isOfCreation = answer.kind === 'CreateJob' || answer.kind === 'skipped' || answer.kind === 'stale';
  if (asked === undefined || !isOfCreation) return [];
  const isCreated = answer.kind === 'CreateJob' && answer.result === 'created';
  return [
    {
      ...asked,
      result: answer.kind === 'CreateJob' ? answer.result : answer.kind,
      error: apiErrorIn(answer),
      job_uid: isCreated ? answer.job.uid : null,
      answered_at: instantAt(answer.at),
    },
  ];
}
