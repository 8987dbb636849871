import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from './yaml.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job, JobStatus } from '../../workflows/kubernetes/objects.ts';
import { eventually } from './eventually.ts';
import { install, type Installation } from './installation.ts';
import { describedEvents, descriptionHead, kubectlFor, type Kubectl } from './kubectl.ts';

/** The steps of a user with the manifests of examples/, with kubectl alone. */
export interface Examples {
  kubectl: Kubectl;
  installation: Installation;
  apply(...files: string[]): Promise<string>;
  /** Waits with `kubectl wait`; returns the status without its instants. */
  ends(job: string, condition: 'complete' | 'failed'): Promise<JobStatus>;
  status(job: string): Promise<JobStatus>;
  describe(job: string): Promise<string>;
  patch(job: string, patch: unknown): Promise<string>;
  /** Names of a Job's pods, sorted. */
  pods(job: string): Promise<string[]>;
  /** Lines printed by the pods of a Job, sorted. */
  printed(job: string): Promise<string[]>;
}

export const exampleFile = (file: string): string => join('examples', file);
export const exampleText = (file: string): string => readFileSync(exampleFile(file), 'utf8');

/** A complete installation, with short delays after failures. */
export async function startExamples(): Promise<Examples> {
  const installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000' } });
  await installation.startServices();
  const kubectl = kubectlFor(installation);
  const status: Examples['status'] = async (job) =>
    JSON.parse(await kubectl.run('get', 'job', job, '-o', 'jsonpath={.status}')) as JobStatus;
  const pods: Examples['pods'] = async (job) => {
    const names = await kubectl.run('get', 'pods', `--selector=job-name=${job}`, '--output=name');
    return names
      .split('\n')
      .filter(Boolean)
      .map((name) => name.replace('pod/', ''));
  };
  return {
    kubectl,
    installation,
    apply: (...files) => kubectl.run('apply', ...files.flatMap((file) => ['-f', exampleFile(file)])),
    async ends(job, condition) {
      await kubectl.run('wait', `--for=condition=${condition}`, `job/${job}`, '--timeout=60s');
      return withoutInstants(await status(job));
    },
    status,
    // Events are written after the status.
    describe: (job) =>
      eventually(`an Event about the end of ${job}`, 10, async () => {
        const description = await kubectl.run('describe', 'job', job);
        return /^ {2}(Normal +Completed|Warning) /m.test(description) ? description : undefined;
      }),
    patch: (job, patch) =>
      kubectl.run('patch', `job/${job}`, '--type=strategic', '--patch', JSON.stringify(patch)),
    pods,
    async printed(job) {
      const logs = await Promise.all((await pods(job)).map((pod) => kubectl.run('logs', pod)));
      return logs.join('').split('\n').filter(Boolean).toSorted();
    },
  };
}

function withoutInstants({
  startTime: _start,
  completionTime: _completion,
  conditions = [],
  ...rest
}: JobStatus): JobStatus {
  return {
    ...rest,
    conditions: conditions.map(
      ({ lastProbeTime: _probe, lastTransitionTime: _transition, ...condition }) => condition,
    ),
  };
}

const REACHED = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };

/** The status of a Job that completed without failures. */
export function completed(succeeded: number, why = REACHED): JobStatus {
  return {
    conditions: [
      { type: 'SuccessCriteriaMet', status: 'True', ...why },
      { type: 'Complete', status: 'True', ...why },
    ],
    succeeded,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
  };
}

/** The status of a Job that failed. */
export function failed(counters: JobStatus, why: { reason: string; message: string }): JobStatus {
  return {
    conditions: [
      { type: 'FailureTarget', status: 'True', ...why },
      { type: 'Failed', status: 'True', ...why },
    ],
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...counters,
  };
}

/** A copy of an example under a manager, run to its end; its name is replaced by `NAME`. */
export async function describedUnder(
  { kubectl, ends, describe }: Examples,
  managedBy: string,
  file: string,
  condition: 'complete' | 'failed',
): Promise<{ status: JobStatus; head: string[]; events: string[] }> {
  const job = loadYaml<Job>(exampleText(file));
  const name = `${managedBy === OWN_MANAGER ? 'ours' : 'theirs'}-${job.metadata.name}`;
  const copy = { ...job, metadata: { name }, spec: { ...job.spec, managedBy } };
  await kubectl.pipe(JSON.stringify(copy), 'create', '-f', '-');
  const status = await ends(name, condition);
  const description = await describe(name);
  const named = (text: string): string => text.replaceAll(name, 'NAME');
  return {
    status,
    head: descriptionHead(description).map(named),
    // Pods of one batch are created concurrently, so their Events come in any order.
    events: describedEvents(description).map(named).toSorted(),
  };
}
