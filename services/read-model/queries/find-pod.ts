import type { Run } from '../../adapters/postgres/database.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { AmbiguousJobError, UnknownJobError, type WantedJob } from './find-job.ts';
import { fullName } from '../views/full-name.ts';
import { jobsWithUid } from './jobs.ts';
import { placeValues, visibleIn } from './visible.ts';
import type { JobView } from '../views/jobs.ts';

/**
 * Finds the Job of a pod by the pod's name, even if the pod was only requested and never seen. `wanted.name` is the
 * name of the pod, `uid` the uid of the Job. @throws UnknownJobError, AmbiguousJobError.
 */
export async function findJobOfPod(run: Run, wanted: WantedJob): Promise<JobView> {
  const seen = await run<JobOfPod>(selectJobsOfPod('pods', wanted));
  const keys = seen.length > 0 ? seen : await run<JobOfPod>(selectJobsOfPod('creations', wanted));
  const found = (await Promise.all(keys.map((key) => run<JobView>(jobsWithUid(key))))).flat();
  const [job] = found;
  if (job === undefined)
    throw new UnknownJobError(
      `no pod named "${wanted.name}"${placeText(wanted)} was ever seen in any Job`,
      [],
    );
  if (found.length === 1) return job;
  const places = found.map((each) => `${fullName(each)}, uid ${each.uid}`).toSorted();
  throw new AmbiguousJobError(
    `"${wanted.name}" matches pods of ${found.length} Jobs; choose one by --cluster, --namespace or --uid:\n  ${places.join('\n  ')}`,
    found.map(({ cluster, namespace, name }) => ({ cluster, namespace, name })),
  );
}

interface JobOfPod {
  cluster: string;
  job_uid: string;
}

function selectJobsOfPod(
  table: 'pods' | 'creations',
  { name, namespace, cluster, uid, places }: WantedJob,
): Statement {
  return {
    text: `select distinct p.cluster, p.job_uid from jobledger.${table} p
      join jobledger.jobs j on j.cluster = p.cluster and j.uid = p.job_uid
      where p.name = $1 and ($2::text is null or j.namespace = $2) and ($3::text is null or p.cluster = $3)
        and ($4::text is null or p.job_uid = $4) and ${visibleIn(5, 'j')}
      limit 20`,
    values: [name, namespace ?? null, cluster ?? null, uid ?? null, ...placeValues(places ?? null)],
  };
}

function placeText({ cluster, namespace }: WantedJob): string {
  const place = [cluster, namespace].filter((part) => part !== undefined).join('/');
  return place === '' ? '' : ` in ${place}`;
}
