import type { CronOutcomeRecorded, CronJobDecided } from '../../../workflows/cron-job/events.ts';
import type { CronJobRow, CronJobStartRow } from '../../read-model/tables/cron-jobs.ts';
import { apiErrorIn } from './answers.ts';
import { instantAt, toTimestamp } from './instants.ts';

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
            scheduled_at: toTimestamp(each.scheduledAt),
            decided_at: instantAt(data.now),
            job_name: each.name,
            rule: each.why.rule,
            message: each.why.message,
            replaced: replaced.map((job) => job.name),
            result: null,
            error: null,
            job_uid: null,
            outcome_at: null,
          },
        ]
      : [],
  );
}

/** An attempt after its outcome; empty when the outcome belongs to another command, or the attempt is unknown. */
export function answeredStart(
  asked: CronJobStartRow | undefined,
  { data: { outcome } }: CronOutcomeRecorded,
): CronJobStartRow[] {
  const isOfCreation = outcome.kind === 'CreateJob' || outcome.kind === 'skipped' || outcome.kind === 'stale';
  if (asked === undefined || !isOfCreation) return [];
  const isCreated = outcome.kind === 'CreateJob' && outcome.result === 'created';
  return [
    {
      ...asked,
      result: outcome.kind === 'CreateJob' ? outcome.result : outcome.kind,
      error: apiErrorIn(outcome),
      job_uid: isCreated ? outcome.job.uid : null,
      outcome_at: instantAt(outcome.at),
    },
  ];
}
