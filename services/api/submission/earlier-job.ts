import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { isAbsent } from '../../adapters/errors.ts';
import { REDACTED } from '../../adapters/events/redacted.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { NotRetriableError } from './retried.ts';
import { clusterProblem } from './submit.ts';

/** The object of a Job in its cluster; null if the cluster does not have the Job, or has another Job with that name. */
export async function jobInCluster(
  client: KubernetesClient,
  { namespace, name, uid }: Pick<JobView, 'namespace' | 'name' | 'uid'>,
): Promise<Job | null> {
  const path = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs/${encodeURIComponent(name)}`;
  try {
    const job = await client.request<Job>({ method: 'GET', path });
    return job.metadata.uid === uid ? job : null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw clusterProblem(error, client.cluster, 'it is not known whether the cluster still has the Job');
  }
}

/**
 * The recorded object of a Job, from the tables.
 * @throws NotRetriableError with the names of parts that were not recorded.
 */
export async function jobInLedger(
  run: Run,
  { cluster, uid }: Pick<JobView, 'cluster' | 'uid'>,
): Promise<Job> {
  const [latest] = await run<{ data: { object: Job; withoutTemplate?: boolean } }>(
    sql`select data from jobledger.events where cluster = ${cluster} and job_uid = ${uid} and type = 'job.observed'
      order by kafka_offset desc limit 1`,
  );
  const gone = 'the cluster no longer has it';
  const advice = 'submit its manifest';
  if (latest === undefined)
    throw new NotRetriableError(`${gone}, and its events are before the horizon; ${advice}`);
  const { object, withoutTemplate } = latest.data;
  if (withoutTemplate === true)
    throw new NotRetriableError(`${gone}, and its pod template was too large for the ledger; ${advice}`);
  const missing = redactedFields(object.spec, 'spec');
  if (missing.length > 0)
    throw new NotRetriableError(
      `${gone}, and the ledger does not contain ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' and others' : ''}; ${advice}`,
    );
  return object;
}

/** The paths of values that were not recorded. */
function redactedFields(value: unknown, path: string): string[] {
  if (value === REDACTED) return [path];
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, each]) =>
    redactedFields(each, isList ? `${path}[${name}]` : `${path}.${name}`),
  );
}
