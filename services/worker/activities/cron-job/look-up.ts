import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { childFacts, cronJobFacts } from '../../../../workflows/cron-job/observe/compact.ts';
import type { LookUpOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import { toApiFailure, mapInBatches, readJobNamed } from '../../command/requests.ts';
import { isOurs, readCronJob, type CronContext, type CronOutcomeOf } from './cron-context.ts';

/** Reads the CronJob (J-9.30). */
export async function lookUpCronJob(context: CronContext): Promise<CronOutcomeOf<'LookUpCronJob'>> {
  try {
    const live = await readCronJob(context);
    return { kind: 'LookUpCronJob', result: 'done', cronJob: live === null ? null : cronJobFacts(live) };
  } catch (error) {
    return { kind: 'LookUpCronJob', result: 'failed', error: toApiFailure(error) };
  }
}

/** Reads Jobs by name (J-9.31). */
export async function lookUpJobs(
  context: CronContext,
  { jobs }: CronCommandOf<'LookUpJobs'>,
): Promise<CronOutcomeOf<'LookUpJobs'>> {
  const found = await mapInBatches(jobs, async ({ uid, name }): Promise<LookUpOutcome> => {
    try {
      const job = await readJobNamed(context, name);
      if (job?.metadata.uid !== uid) return { uid, name, result: 'gone' };
      const facts = isOurs(context, job) && { job: childFacts(job, context.job.uid) };
      return { uid, name, result: 'found', ...facts };
    } catch (error) {
      return { uid, name, result: 'failed', error: toApiFailure(error) };
    }
  });
  return { kind: 'LookUpJobs', jobs: found };
}
