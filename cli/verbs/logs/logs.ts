import { InvalidArgumentError, type Command } from 'commander';
import { publishedAddresses } from '../../../infra/local/state/addresses.ts';
import { unfitIndex } from '../../../workflows/history/unfit-index.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { durationIn } from '../../duration.ts';
import { sinceArgument } from '../../instant-option.ts';
import { indexArgument, JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { report } from '../../output.ts';
import { apiServerFor, connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import {
  createdMembers,
  readPlacements,
  podsOfJob,
  podsOfMembers,
  type PodThere,
} from '../../sources/pods-of-job.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { chosenPod } from './chosen-pod.ts';
import { findContext, kubectlWith } from './kubectl.ts';

interface LogsOptions extends JobOptions, ConnectionOptions {
  readonly index?: number;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly tail?: string;
  /** An option of kubectl. */
  readonly since?: string;
  readonly container?: string;
  readonly kubeContext?: string;
  readonly kubeconfig?: string;
}

/** Adds the verb `logs`. */
export function registerLogs(program: Command): void {
  const command = program
    .command('logs')
    .description(
      'find the pod of the latest attempt of a Job, and print its logs with kubectl, your own kubeconfig and your own rights',
    )
    .argument('<job>', JOB_ARGUMENT)
    .argument('[options...]', 'further options of "kubectl logs", after --')
    .option(
      '--index <number>',
      'print the logs of the latest attempt of this completion index',
      indexArgument,
    )
    .option('-p, --previous', 'print the logs of the latest attempt that failed', false)
    .option('-f, --follow', 'keep printing new lines', false)
    .option('--tail <lines>', 'print only this many of the last lines', tailArgument)
    .option(
      '--since <time>',
      'print only lines since this time: 5m or 2h before now, or an instant such as 2026-11-21T20:00:00Z',
      sinceOfKubectl,
    )
    .option('-c, --container <name>', 'print the logs of this container')
    .option(
      '--kube-context <name>',
      "a context of the kubeconfig (default: the context with the cluster's name, or a context that has the pod)",
    )
    .option('--kubeconfig <file>', 'the kubeconfig to use (default: that of kubectl)');
  connectionOptions(jobOptions(command)).action(logs);
}

/** Finds the pod of the wanted attempt, and runs kubectl for its logs. `more` has further options of kubectl. */
async function logs(argument: string, more: readonly string[], options: LogsOptions): Promise<void> {
  const wanted = wantedJob(argument, options);
  const { job, pods } = await withRows(options, async (rows) => {
    const found = await rows.job(wanted);
    return { job: found, pods: await podsInOrder(rows, found) };
  });
  requireIndex(job, pods, options.index);
  const { name, uid, cluster, isRestarted } = chosenPod(pods, options, fullName(job));
  report(`logs of pod ${name} in ${cluster}/${job.namespace}`);
  const kubeconfig = await kubeconfigFor(options);
  const kubectl = kubectlWith(kubeconfig);
  const pod = { name, uid, namespace: job.namespace };
  process.exitCode = await kubectl.show([
    '--context',
    options.kubeContext ?? (await findContext(kubectl, cluster, pod, kubeconfig)),
    '--namespace',
    job.namespace,
    'logs',
    name,
    ...(options.follow ? ['--follow'] : []),
    ...(isRestarted ? ['--previous'] : []),
    ...optionalFlag('--tail', options.tail),
    ...(options.since === undefined ? [] : [options.since]),
    ...optionalFlag('--container', options.container),
    ...more,
  ]);
}

/**
 * @throws InputError for an index that the Job neither has nor had; the completions of a Job can change.
 */
export function requireIndex(
  { completion_mode: completionMode, completions }: Pick<JobView, 'completion_mode' | 'completions'>,
  pods: readonly Pick<PodThere, 'completion_index'>[],
  index: number | undefined,
): void {
  if (index === undefined || completionMode === null || pods.some((pod) => pod.completion_index === index))
    return;
  const unfit = unfitIndex({ completionMode, completions: completions ?? 0 }, index);
  if (unfit !== null) throw new InputError(`--index ${index}: ${unfit}`);
}

/** The option as an argument of kubectl; empty without a value. */
function optionalFlag(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${flag}=${value}`];
}

/** The pods of a Job in the order of their creation; for a placed Job, the pods of all its members. */
async function podsInOrder(rows: RowSource, job: JobView): Promise<PodThere[]> {
  const placements = await readPlacements(rows, job);
  if (placements.length === 0) return podsOfJob(rows, job);
  const pods = await podsOfMembers(rows, job, createdMembers(placements));
  return pods.toSorted((a, b) => Date.parse(a.created_at ?? '') - Date.parse(b.created_at ?? ''));
}

/**
 * The kubeconfig for kubectl: the given file, or the owner's file for the servers of a state directory, or undefined for kubectl's own.
 */
async function kubeconfigFor(options: LogsOptions): Promise<string | undefined> {
  if (options.kubeconfig !== undefined) return options.kubeconfig;
  if ((process.env['KUBECONFIG'] ?? '') !== '' || (await apiServerFor(options)) !== null) return undefined;
  return publishedAddresses(options.stateDir)?.adminKubeconfig;
}

/** Requires the form of a number that kubectl accepts. @throws InvalidArgumentError. */
function tailArgument(text: string): string {
  if (!/^(-1|\d{1,9})$/.test(text))
    throw new InvalidArgumentError('expected a whole number of lines, or -1 for all lines');
  return text;
}

/** The option of kubectl for an instant, or for a duration before the present time of the node. */
export function sinceOfKubectl(text: string): string {
  const at = sinceArgument('--since')(text);
  const length = durationIn(text);
  return length === null ? `--since-time=${new Date(at).toISOString()}` : `--since=${length}ms`;
}
