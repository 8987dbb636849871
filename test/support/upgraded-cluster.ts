import type { Pool } from 'pg';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';

/** The versions of the clusters, as they are recorded. */
export async function recordedVersions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ version: string }>('select version from jobledger.clusters');
  return rows.map(({ version }) => version);
}

/** Creates a CronJob that starts a Job of ours every minute. */
export function createCronJob({ client }: TestCluster, name: string): Promise<unknown> {
  const containers = [{ name: 'main', image: 'none', command: ['true'] }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return client.request({
    method: 'POST',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    body: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { managedBy: OWN_MANAGER, template } } },
    },
  });
}

/** For each time of the CronJob, the number of Jobs that it has started; waits until there are two times. */
export function startsOfEachTime(pool: Pool, name: string): Promise<number[]> {
  return eventually(`two starts of ${name}`, 150, async () => {
    const { rows } = await pool.query<{ jobs: number }>(
      `select count(distinct data ->> 'jobUid')::int as jobs
       from jobledger.events where type = 'job.observed' and job_name like $1
       group by data -> 'object' -> 'metadata' -> 'annotations' ->> 'batch.kubernetes.io/cronjob-scheduled-timestamp'`,
      [`${name}-%`],
    );
    return rows.length > 1 ? rows.map(({ jobs }) => jobs) : undefined;
  });
}
