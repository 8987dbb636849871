import type { CronCommand, CronJobEventText } from './commands.ts';
import type { CronOutcome, DeletionOutcome } from './outcomes.ts';

/** The Events that follow from the outcome of a command, in the words of Kubernetes (J-7.4). */
export function outcomeEvents(command: CronCommand, outcome: CronOutcome): CronJobEventText[] {
  switch (outcome.kind) {
    case 'CreateJob':
      return creationEvents(command, outcome);
    case 'DeleteJobs':
      return outcome.jobs.map(deletionEvent);
    case 'ReplaceJobs':
      return outcome.jobs.flatMap((job) => replacementEvents(job, outcome.reading === true));
    case 'LookUpCronJob': {
      if (command.kind !== 'LookUpCronJob' || outcome.result === 'failed' || outcome.cronJob === null)
        return [];
      const listed = new Set(outcome.cronJob.status.active?.map(({ uid }) => uid));
      return command.jobs.filter(({ uid }) => !listed.has(uid)).map(({ name }) => unexpectedJobEvent(name));
    }
    case 'LookUpJobs':
      return outcome.jobs
        .filter(({ result }) => result === 'gone')
        .map(({ name }) => ({
          type: 'Normal',
          reason: 'MissingJob',
          message: `Active job went missing: ${name}`,
        }));
    case 'WriteStatus':
    case 'EmitEvents':
    case 'AwaitWatch':
    case 'stale':
    case 'skipped':
      return [];
  }
}

/**
 * The Events about the creation of a Job; the list is empty for an existing Job of this CronJob, and while the
 * namespace is being terminated (J-9.38).
 */
function creationEvents(
  command: CronCommand,
  outcome: Extract<CronOutcome, { kind: 'CreateJob' }>,
): CronJobEventText[] {
  if (outcome.result === 'taken' && command.kind === 'CreateJob') {
    const message = `The start of ${command.scheduledAt} is left out: a Job ${command.name} exists, ${outcome.by}`;
    return [{ type: 'Warning', reason: 'JobNameTaken', message }];
  }
  if (outcome.result === 'created' && outcome.existing !== true)
    return [{ type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${outcome.job.name}` }];
  if (outcome.result !== 'failed' || outcome.namespaceTerminating === true) return [];
  return [
    { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${outcome.error.message}` },
  ];
}

/** The Events about the deletion of a running Job that is replaced. */
function replacementEvents(job: DeletionOutcome, isReading: boolean): CronJobEventText[] {
  if (job.result === 'done' || !isReading) return [deletionEvent(job)];
  return [{ type: 'Warning', reason: 'FailedGet', message: `Get job: ${job.error.message}` }];
}

/** The Event about the deletion of a Job. */
function deletionEvent(job: DeletionOutcome): CronJobEventText {
  return job.result === 'done'
    ? { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${job.name}` }
    : { type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${job.error.message}` };
}

/** The Event about a running Job that the status of the CronJob does not list. */
function unexpectedJobEvent(name: string): CronJobEventText {
  const message = `Saw a job that the controller did not create or forgot: ${name}`;
  return { type: 'Warning', reason: 'UnexpectedJob', message };
}

/** The value of `cronjob_controller_job_creation_skew_duration_seconds` for a created Job (J-11.4); null for no value. */
export function creationSkew(command: CronCommand, outcome: CronOutcome): number | null {
  if (command.kind !== 'CreateJob' || outcome.kind !== 'CreateJob') return null;
  if (outcome.result !== 'created' || outcome.existing === true) return null;
  return (Date.parse(outcome.createdAt) - Date.parse(command.scheduledAt)) / 1000;
}
