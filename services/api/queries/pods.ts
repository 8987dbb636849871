import { POD_COLUMNS } from '../../read-model/queries/job-details.ts';
import type { PodView } from '../../read-model/views/jobs.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import type { PageCursor } from '../cursor.ts';

export type PlacedPod = PodView & { first_seen_at: string };

/** The order of pods: by creation. */
const PLACE = `coalesce(created_at, first_seen_at), first_seen_at, name, uid`;

/** A page of the pods of one Job. Selects one row beyond the limit, to show whether more follow. */
export function podsPage(
  job: { cluster: string; uid: string },
  after: PageCursor | null,
  limit: number,
): Statement {
  return {
    text: `select first_seen_at, ${POD_COLUMNS} from jobledger.pods
      where cluster = $1 and job_uid = $2
        and ($3::timestamptz is null or (${PLACE}) > ($3, $4::timestamptz, $5::text, $6::text))
      order by ${PLACE} limit $7`,
    values: [job.cluster, job.uid, ...(after ?? [null, null, null, null]), limit + 1],
  };
}

/** The cursor of a page that ends with this pod. */
export function placeOfPod(pod: PlacedPod): PageCursor {
  return [pod.created_at ?? pod.first_seen_at, pod.first_seen_at, pod.name, pod.uid];
}
