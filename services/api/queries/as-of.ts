import type { Statement } from '../../adapters/postgres/statement.ts';
import { columnsIn } from '../../read-model/views/view.ts';
import { jobAsOfSchema } from '../schemas/job.ts';
import { placeValues, visibleIn } from '../../read-model/queries/visible.ts';
import type { Places } from '../../adapters/places.ts';
import type { PageCursor } from '../cursor.ts';

const COLUMNS = columnsIn(jobAsOfSchema);

/** The Job that had this name at an instant, as seen by that instant. */
export function jobAsOf(at: string, job: { cluster: string; namespace: string; name: string }): Statement {
  return {
    text: `select ${COLUMNS} from jobledger.job_as_of($1, $2, $3, $4)`,
    values: [job.cluster, job.namespace, job.name, at],
  };
}

/** The Job with this UID, as seen by a given instant. */
export function jobSeen(at: string, job: { cluster: string; uid: string }): Statement {
  return {
    text: `select ${COLUMNS} from jobledger.job_seen($1, $2, $3)`,
    values: [job.cluster, job.uid, at],
  };
}

/**
 * A page of the Jobs that existed at an instant, without the members of placed Jobs. The statement selects one row
 * beyond the limit, to show whether more follow.
 */
export function jobsAsOf(
  at: string,
  filter: { cluster?: string | undefined; namespace?: string | undefined },
  after: PageCursor | null,
  limit: number,
  places: Places,
): Statement {
  return {
    text: `select ${COLUMNS} from jobledger.jobs_as_of($1)
      where ($2::text is null or cluster = $2) and ($3::text is null or namespace = $3)
        and ($4::text is null or (cluster, namespace, name, uid) > ($4, $5::text, $6::text, $7::text))
        and ${visibleIn(9, 'jobs_as_of')}
        and not exists (select from jobledger.placements p
          where p.placed_in = jobs_as_of.cluster and p.member_uid = jobs_as_of.uid)
      order by cluster, namespace, name, uid
      limit $8`,
    values: [
      at,
      filter.cluster ?? null,
      filter.namespace ?? null,
      ...(after ?? [null, null, null, null]),
      limit + 1,
      ...placeValues(places),
    ],
  };
}

/** The time when the first Job in the places was seen; null when no Job was seen. */
export function firstSeen(places: Places): Statement {
  return {
    text: `select min(first_seen_at) as at from jobledger.jobs where ${visibleIn(1, 'jobs')}`,
    values: placeValues(places),
  };
}
