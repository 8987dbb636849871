import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { cronJobFacts } from '../../../../workflows/cron-job/observe/compact.ts';
import { isSameJson } from '../../../../workflows/ledger/digest.ts';
import type { CronJob } from '../../../../workflows/kubernetes/objects.ts';
import { toApiFailure, isConflict, isNotFound } from '../../command/requests.ts';
import { cronJobPath, readCronJob, type CronContext, type CronOutcomeOf } from './cron-context.ts';

/** Replaces the status at the version that the decision knew; any other version is a conflict (J-9.20). */
export async function writeStatus(
  context: CronContext,
  command: CronCommandOf<'WriteStatus'>,
): Promise<CronOutcomeOf<'WriteStatus'>> {
  const { client, job, signal } = context;
  const { resourceVersion, from, to } = command;
  const removed = Object.fromEntries(Object.keys(from).map((field) => [field, null]));
  try {
    const written = await client.request<CronJob>({
      method: 'PATCH',
      path: `${cronJobPath(job)}/status`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: job.uid, resourceVersion }, status: { ...removed, ...to } },
      signal,
    });
    return { kind: 'WriteStatus', result: 'written', cronJob: cronJobFacts(written) };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'WriteStatus', result: 'gone' };
    if (!isConflict(error)) return { kind: 'WriteStatus', result: 'failed', error: toApiFailure(error) };
    return outcomeFromLive(context, command);
  }
}

/** The outcome after a conflict. An earlier attempt may have written the status already. */
async function outcomeFromLive(
  context: CronContext,
  { to }: CronCommandOf<'WriteStatus'>,
): Promise<CronOutcomeOf<'WriteStatus'>> {
  const found = await readCronJob(context);
  if (found === null) return { kind: 'WriteStatus', result: 'gone' };
  const result = isSameJson(found.status ?? {}, to) ? 'written' : 'conflict';
  return { kind: 'WriteStatus', result, cronJob: cronJobFacts(found) };
}
