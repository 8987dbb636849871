import type { CronCommand } from '../../cron-job/commands.ts';
import type { ApiFailure } from '../../job/outcomes.ts';
import type { CronOutcome, DeletionOutcome, LookUpOutcome } from '../../cron-job/outcomes.ts';
import { present } from './changes.ts';
import { cronStatusWords } from './cron-job-words.ts';
import { few } from './few.ts';
import { failureWords } from './outcome-words.ts';

/** A command about a CronJob and its reason, in words. */
export function cronCommandWords(command: CronCommand): string {
  return `→ ${cronCommandText(command)} [${command.why.rule}]`;
}

/** A command and its reason, without the rule's code. */
export function cronCommandText(command: CronCommand): string {
  return `${command.kind} ${contentWords(command)}: ${command.why.words}`;
}

function contentWords(command: CronCommand): string {
  switch (command.kind) {
    case 'CreateJob':
      return command.name;
    case 'DeleteJobs':
    case 'ReplaceJobs':
    case 'LookUpCronJob':
    case 'LookUpJobs':
      return few(command.jobs.map(({ name }) => name));
    case 'WriteStatus':
      return `(${present(cronStatusWords(command.from, command.to)).join(', ')})`;
    case 'EmitEvents':
      return few(command.events.map(({ reason }) => reason));
    case 'AwaitWatch':
      return `of ${command.resource} at ${command.resourceVersion ?? 'the present version'}`;
  }
}

/** The outcome of a command about a CronJob, in words. */
export function cronOutcomeWords(answer: CronOutcome): string {
  switch (answer.kind) {
    case 'CreateJob':
      return creationWords(answer);
    case 'DeleteJobs':
    case 'ReplaceJobs':
      return few(answer.jobs.map((job) => `${job.name} ${deletionWords(job)}`));
    case 'WriteStatus':
      if (answer.result === 'failed') return failureWords(answer.error);
      return STATUS[answer.result];
    case 'LookUpCronJob':
      if (answer.result === 'failed') return failureWords(answer.error);
      return answer.cronJob === null ? 'it does not exist' : 'it exists';
    case 'LookUpJobs':
      return few(answer.jobs.map((job) => `${job.name} ${lookUpWords(job)}`));
    case 'EmitEvents':
      return 'done';
    case 'AwaitWatch':
      return awaitWords(answer);
    case 'stale':
      return `not sent, because ${answer.why}; decided again`;
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

function creationWords(answer: Extract<CronOutcome, { kind: 'CreateJob' }>): string {
  switch (answer.result) {
    case 'created':
      return answer.existing === true ? `${answer.job.name} existed already` : `created: ${answer.job.name}`;
    case 'taken':
      return `a Job of that name exists, ${answer.by}`;
    case 'gone':
      return GONE;
    case 'unknown':
      return `no answer, and no such Job; whether it was created is known when the watch of Jobs has passed ${answer.after}`;
    case 'failed':
      return `${failureWords(answer.error)}${answer.namespaceTerminating === true ? ' (the namespace is being terminated)' : ''}`;
  }
}

function awaitWords({ result, after, reached }: Extract<CronOutcome, { kind: 'AwaitWatch' }>): string {
  if (result === 'passed') return `has passed ${after}`;
  return reached === null
    ? 'its position is unknown'
    : `not yet: it is at ${reached}, and must reach ${after}`;
}

function deletionWords(job: DeletionOutcome): string {
  if (job.result === 'done') return 'deleted';
  return wasGone(job.error) ? 'did not exist' : failureWords(job.error);
}

function wasGone({ status }: ApiFailure): boolean {
  return status === 404 || status === 409;
}

function lookUpWords(job: LookUpOutcome): string {
  if (job.result === 'failed') return failureWords(job.error);
  return job.result === 'found' ? 'exists' : 'does not exist';
}
