import type { JobRef } from '../../../../workflows/activities.ts';
import type { CronJob, Job } from '../../../../workflows/kubernetes/objects.ts';
import type { CronCommand } from '../../../../workflows/cron-job/commands.ts';
import type { CronOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { isNotFound } from '../command-context.ts';

/** The context of one command: the cluster, and the CronJob. */
export interface CronContext {
  client: KubernetesClient;
  cronJob: JobRef;
  signal: AbortSignal;
}

type WithoutInstant<A> = A extends CronOutcome ? Omit<A, 'at'> : never;

/** The outcome of any command, without its instant. */
export type AnyCronOutcome = WithoutInstant<CronOutcome>;

/** The result of carrying out a command of a kind; the instant is added where the outcome is recorded. */
export type CronOutcomeOf<K extends CronCommand['kind']> = WithoutInstant<Extract<CronOutcome, { kind: K }>>;

export function cronJobPath({ namespace, name }: JobRef): string {
  return `/apis/batch/v1/namespaces/${namespace}/cronjobs/${name}`;
}

export function jobsPath({ namespace }: JobRef, name = ''): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs${name === '' ? '' : `/${name}`}`;
}

/** The CronJob as it is on the server; null when it is gone, or another one has its name. */
export async function readCronJob({ client, cronJob, signal }: CronContext): Promise<CronJob | null> {
  const path = cronJobPath(cronJob);
  const found = await client.request<CronJob>({ method: 'GET', path, signal }).catch(nullIfNotFound);
  return found?.metadata.uid === cronJob.uid ? found : null;
}

/** A Job of the namespace by name; null when there is none. */
export function readJob({ client, cronJob, signal }: CronContext, name: string): Promise<Job | null> {
  return client.request<Job>({ method: 'GET', path: jobsPath(cronJob, name), signal }).catch(nullIfNotFound);
}

function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}
