import type { Command } from 'commander';
import { InputError } from '../services/adapters/errors.ts';
import type { WantedJob } from '../services/read-model/find-job.ts';
import type { WantedStream } from './ledger/streams.ts';
import { outputOption, type OutputOption } from './output.ts';
import { connectionOptions, type ConnectionOptions } from './server/connection-options.ts';

/** Options that identify a Job beyond its name. */
export interface JobOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly uid?: string;
}

export function jobOptions(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace of the Job')
    .option('--cluster <name>', 'cluster of the Job')
    .option('--uid <uid>', 'uid of the Job, if a name was used more than once (default: the newest)');
}

/** The options of a verb that shows something about a Job or CronJob, as text or JSON. */
export interface ShowOptions extends JobOptions, ConnectionOptions, OutputOption {}

/** `asJson`: what `-o json` prints. */
export function showOptions(command: Command, asJson: string): Command {
  return connectionOptions(outputOption(jobOptions(command), asJson));
}

export const JOB_ARGUMENT = 'NAME, NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME';

/** A Job or, as `cronjob/NAME`, a CronJob. */
export const STREAM_ARGUMENT = `${JOB_ARGUMENT}; prefix a CronJob with cronjob/`;

/** `wantedJob`, or a CronJob. @throws InputError. */
export function wantedStream(argument: string, options: JobOptions): WantedStream {
  const cronJob = cronJobArgument(argument);
  return cronJob === null
    ? wantedJob(argument, options)
    : { ...wantedJob(cronJob, options), kind: 'cronjob' };
}

/** The text after `cronjob/`; null for a Job. */
export function cronJobArgument(argument: string): string | null {
  return argument.startsWith('cronjob/') ? argument.slice('cronjob/'.length) : null;
}

/** @throws InputError for an invalid argument, or one that contradicts an option. */
export function wantedJob(argument: string, options: JobOptions): WantedJob {
  // A namespace or Job name cannot contain a slash, but a cluster name can (a kubeconfig context may be any text).
  const parts = argument.split('/');
  const name = parts.pop() ?? '';
  const namespace = agreed('--namespace', options.namespace, parts.pop());
  const cluster = agreed('--cluster', options.cluster, parts.length > 0 ? parts.join('/') : undefined);
  if (name === '' || namespace === '' || cluster === '') {
    throw new InputError(`"${argument}" is not a Job; expected ${JOB_ARGUMENT}`);
  }
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(cluster !== undefined && { cluster }),
    ...(options.uid !== undefined && { uid: options.uid }),
  };
}

function agreed(flag: string, option: string | undefined, part: string | undefined): string | undefined {
  if (option !== undefined && part !== undefined && option !== part) {
    throw new InputError(`${flag} is "${option}", but the argument has "${part}"`);
  }
  return part ?? option;
}
