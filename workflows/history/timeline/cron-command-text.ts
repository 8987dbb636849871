import type { CronCommand } from '../../cron-job/commands.ts';
import type { ApiFailure } from '../../decision/api-failure.ts';
import type { CronOutcome, DeletionOutcome, LookUpOutcome } from '../../cron-job/outcomes.ts';
import { presentTexts } from './changes.ts';
import { cronStatusText } from './cron-job-text.ts';
import { fewText } from './few.ts';
import { failureText } from './outcome-text.ts';

/** The line of a command with its reason and the code of its rule. */
export function cronCommandLine(command: CronCommand): string {
  return `→ ${cronCommandText(command)} [${command.why.rule}]`;
}

/** A command and its reason as text, without the code of the rule. */
export function cronCommandText(command: CronCommand): string {
  return `${command.kind} ${contentText(command)}: ${command.why.message}`;
}

/** The content of a command as text, without its kind and reason. */
function contentText(command: CronCommand): string {
  switch (command.kind) {
    case 'CreateJob':
      return command.name;
    case 'DeleteJobs':
    case 'ReplaceJobs':
    case 'LookUpCronJob':
    case 'LookUpJobs':
      return fewText(command.jobs.map(({ name }) => name));
    case 'WriteStatus':
      return `(${presentTexts(cronStatusText(command.from, command.to)).join(', ')})`;
    case 'EmitEvents':
      return fewText(command.events.map(({ reason }) => reason));
    case 'AwaitWatch':
      return `of ${command.resource} at ${command.resourceVersion ?? 'the present version'}`;
  }
}

/** The outcome of a command about a CronJob, as text. */
export function cronOutcomeText(outcome: CronOutcome): string {
  switch (outcome.kind) {
    case 'CreateJob':
      return creationText(outcome);
    case 'DeleteJobs':
    case 'ReplaceJobs':
      return fewText(outcome.jobs.map((job) => `${job.name} ${deletionMessage(job)}`));
    case 'WriteStatus':
      if (outcome.result === 'failed') return failureText(outcome.error);
      return STATUS[outcome.result];
    case 'LookUpCronJob':
      if (outcome.result === 'failed') return failureText(outcome.error);
      return outcome.cronJob === null ? 'it does not exist' : 'it exists';
    case 'LookUpJobs':
      return fewText(outcome.jobs.map((job) => `${job.name} ${lookUpText(job)}`));
    case 'EmitEvents':
      return 'done';
    case 'AwaitWatch':
      return awaitText(outcome);
    case 'stale':
      return `not sent, because ${outcome.why}; decided again`;
    case 'skipped':
      return 'not sent, because an earlier command failed';
  }
}

const GONE = 'the CronJob is gone';
const STATUS = {
  written: 'written',
  conflict: 'conflict: the CronJob had changed; decided again',
  gone: GONE,
};

/** The outcome of the creation of a Job, as text. */
function creationText(outcome: Extract<CronOutcome, { kind: 'CreateJob' }>): string {
  switch (outcome.result) {
    case 'created':
      return outcome.existing === true
        ? `${outcome.job.name} existed already`
        : `created: ${outcome.job.name}`;
    case 'taken':
      return `a Job of that name exists, ${outcome.by}`;
    case 'gone':
      return GONE;
    case 'unknown':
      return `no answer, and no such Job; whether it was created is known when the watch of Jobs has passed ${outcome.after}`;
    case 'failed':
      return `${failureText(outcome.error)}${outcome.namespaceTerminating === true ? ' (the namespace is being terminated)' : ''}`;
  }
}

/** The outcome of the wait for the watch of Jobs, as text. */
function awaitText({ result, after, reached }: Extract<CronOutcome, { kind: 'AwaitWatch' }>): string {
  if (result === 'passed') return `has passed ${after}`;
  return reached === null
    ? 'its position is unknown'
    : `not yet: it is at ${reached}, and must reach ${after}`;
}

/** The outcome of the deletion of a Job, as text. */
function deletionMessage(job: DeletionOutcome): string {
  if (job.result === 'done') return 'deleted';
  return wasGone(job.error) ? 'did not exist' : failureText(job.error);
}

/** True for an error which means that the Job did not exist when the request arrived. */
function wasGone({ status }: ApiFailure): boolean {
  return status === 404 || status === 409;
}

/** The outcome of the look-up of a Job, as text. */
function lookUpText(job: LookUpOutcome): string {
  if (job.result === 'failed') return failureText(job.error);
  return job.result === 'found' ? 'exists' : 'does not exist';
}
