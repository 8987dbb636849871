import { InvalidArgumentError, type Command } from 'commander';
import { InputError } from '../services/adapters/errors.ts';
import { isNamespaceName, isObjectName } from '../services/adapters/kubernetes/object-names.ts';
import { printableLine } from '../services/adapters/printable.ts';
import type { WantedJob } from '../services/read-model/queries/find-job.ts';
import type { WantedStream } from './ledger/streams.ts';
import { outputOption, type OutputOption } from './output.ts';
import { connectionOptions, type ConnectionOptions } from './server/connection-options.ts';

/** Options that identify a Job beyond its name. */
export interface JobOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly uid?: string;
}

/** Adds the options that identify a Job or CronJob beyond its name. */
export function jobOptions(command: Command, kind: 'Job' | 'CronJob' = 'Job'): Command {
  return command
    .option('-n, --namespace <name>', `namespace of the ${kind}`)
    .option('--cluster <name>', `cluster of the ${kind}`)
    .option('--uid <uid>', `uid of the ${kind}, if several had its name (default: the newest ${kind})`);
}

/** The options of a verb that shows something about a Job or CronJob, as text or JSON. */
export interface ShowOptions extends JobOptions, ConnectionOptions, OutputOption {}

/** Adds the options of a verb that shows something about an object; `asJson` describes the output of `-o json`. */
export function showOptions(command: Command, asJson: string, kind?: 'Job' | 'CronJob'): Command {
  return connectionOptions(outputOption(jobOptions(command, kind), asJson));
}

export const JOB_ARGUMENT = 'NAME, NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME';

/** The prefixes of an argument, as in kubectl. A namespace whose name equals a prefix needs --namespace. */
const PREFIXES = {
  job: ['job', 'jobs', 'job.batch', 'jobs.batch'],
  cronjob: ['cronjob', 'cronjobs', 'cj', 'cronjob.batch', 'cronjobs.batch'],
  pod: ['pod', 'pods', 'po'],
} as const;
export type ArgumentKind = keyof typeof PREFIXES;

/** The kind that a word such as `jobs` or `cj` names; null for other words. */
export function kindNamed(word: string): ArgumentKind | null {
  const kinds = Object.keys(PREFIXES) as ArgumentKind[];
  return kinds.find((kind) => (PREFIXES[kind] as readonly string[]).includes(word)) ?? null;
}

/** The kind before the first slash, and the text after the slash; null without such a prefix. */
export function splitPrefix(argument: string): { kind: ArgumentKind; rest: string } | null {
  const slash = argument.indexOf('/');
  const kind = slash < 0 ? null : kindNamed(argument.slice(0, slash));
  return kind === null ? null : { kind, rest: argument.slice(slash + 1) };
}

export const PODS_ADVICE =
  '"jobledger describe JOB" shows all pods that a Job ever had, and "jobledger why pod/NAME" explains a pod';

/** The description of an argument that names a Job or a CronJob. */
export const STREAM_ARGUMENT = `${JOB_ARGUMENT}; prefix a CronJob with cronjob/`;

/** The Job or CronJob that an argument names. @throws InputError as `wantedJob` does. */
export function wantedStream(argument: string, options: JobOptions): WantedStream {
  const cronJob = cronJobArgument(argument);
  return cronJob === null
    ? wantedJob(argument, options)
    : { ...wantedJob(cronJob, options), kind: 'cronjob' };
}

/** The name after `cronjob/`; null if the argument names no CronJob. */
export function cronJobArgument(argument: string): string | null {
  const found = splitPrefix(argument);
  return found?.kind === 'cronjob' ? found.rest : null;
}

/** The Job that an argument names. @throws InputError if the argument is invalid or contradicts an option. */
export function wantedJob(argument: string, options: JobOptions): WantedJob {
  // A namespace or Job name cannot contain a slash, but a cluster name can (a kubeconfig context may be any text).
  const found = splitPrefix(argument);
  if (found?.kind === 'pod') throw new InputError(`"${printableLine(argument)}" is a pod: ${PODS_ADVICE}`);
  if (found?.kind === 'cronjob')
    throw new InputError(
      `"${printableLine(argument)}" is a CronJob; expected a Job, as ${JOB_ARGUMENT}: "jobledger describe cronjob/NAME" lists the Jobs that a CronJob started`,
    );
  const parts = (found?.kind === 'job' ? found.rest : argument).split('/');
  const name = parts.pop() ?? '';
  const namespace = agreedValue('--namespace', options.namespace, parts.pop());
  const cluster = agreedValue('--cluster', options.cluster, parts.length > 0 ? parts.join('/') : undefined);
  if (name === '' || namespace === '' || cluster === '') {
    throw new InputError(
      `"${printableLine(argument)}" names no Job, CronJob or pod; expected ${JOB_ARGUMENT}`,
    );
  }
  requireNames(name, namespace);
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(cluster !== undefined && { cluster }),
    ...(options.uid !== undefined && { uid: options.uid }),
  };
}

/** Requires names that Kubernetes allows. @throws InputError. */
function requireNames(name: string, namespace: string | undefined): void {
  if (namespace !== undefined && !isNamespaceName(namespace))
    throw invalidNameError(namespace, 'a namespace', 'digits and "-"');
  if (!isObjectName(name)) throw invalidNameError(name, 'a Job, CronJob or pod', 'digits, "-" and "."');
}

/** The error that Kubernetes allows no such name. `characters` lists the allowed characters besides letters. */
function invalidNameError(text: string, what: string, characters: string): InputError {
  return new InputError(
    `"${printableLine(text)}" cannot be the name of ${what}: such a name has only lower-case letters, ${characters}; expected ${JOB_ARGUMENT}`,
  );
}

/** Parses the completion index of `--index`. */
export function indexArgument(text: string): number {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text))
    throw new InvalidArgumentError('expected a whole number, 0 or more');
  return Number(text);
}

/** Requires that the user names only one object together with `--uid`. @throws InputError. */
export function requireOneForUid(given: readonly string[], { uid }: JobOptions): void {
  if (given.length > 1 && uid !== undefined)
    throw new InputError('--uid identifies one Job, but you named several: name only the Job with this uid');
}

/** The value that an option or a part of the argument gives. @throws InputError when the two differ. */
function agreedValue(flag: string, option: string | undefined, part: string | undefined): string | undefined {
  if (option !== undefined && part !== undefined && option !== part) {
    throw new InputError(`${flag} is "${option}", but the argument has "${part}"`);
  }
  return part ?? option;
}
