import { JOB_COLUMNS } from '../../read-model/jobs.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { placeValues, visibleIn } from '../../read-model/visible.ts';
import type { Places } from '../../adapters/places.ts';
import type { JobView } from '../../read-model/views.ts';
import type { PageCursor } from '../cursor.ts';

export interface JobsFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  /** Part of the name, in upper or lower case. */
  text?: string | undefined;
  status?: readonly string[] | undefined;
  /** Labels that a Job must have, with their values. */
  labels: Readonly<Record<string, string>>;
  /** RFC 3339; `From` is inclusive, `Before` exclusive. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  finishedFrom?: string | undefined;
  finishedBefore?: string | undefined;
  /** Includes deleted Jobs. */
  deleted: boolean;
}

/** The instant by which Jobs are ordered. */
export const CREATED = 'coalesce(created_at, first_seen_at)';

/** A condition: the Job matches the filter and is in one of the places. Its parameters are the first ones, `filterValues`. */
export const MATCHES = `($1::text is null or cluster = $1) and ($2::text is null or namespace = $2)
        and ($3::text is null or name = $3) and ($4::text[] is null or status = any ($4))
        and ($5::jsonb is null or labels @> $5)
        and ($6::timestamptz is null or ${CREATED} >= $6) and ($7::timestamptz is null or ${CREATED} < $7)
        and ($8::timestamptz is null or finished_at >= $8) and ($9::timestamptz is null or finished_at < $9)
        and ($10 or deleted_at is null)
        and ($11::text is null or strpos(lower(name), lower($11)) > 0)
        and ${visibleIn(12, 'jobs')}`;

/** The 13 parameters of `MATCHES`. */
export function filterValues(filter: JobsFilter, places: Places): unknown[] {
  const hasLabels = Object.keys(filter.labels).length > 0;
  return [
    filter.cluster ?? null,
    filter.namespace ?? null,
    filter.name ?? null,
    filter.status ?? null,
    // Null instead of an empty object, which would keep Postgres from reading an index alone.
    hasLabels ? JSON.stringify(filter.labels) : null,
    filter.createdFrom ?? null,
    filter.createdBefore ?? null,
    filter.finishedFrom ?? null,
    filter.finishedBefore ?? null,
    filter.deleted,
    filter.text ?? null,
    ...placeValues(places),
  ];
}

/**
 * A page of Jobs after a cursor, newest first; the uid makes the order unambiguous. Selects one row more than the limit, to
 * show whether more follow.
 */
export function jobsPage(
  filter: JobsFilter,
  after: PageCursor | null,
  limit: number,
  places: Places,
): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where ${MATCHES}
        and ($14::timestamptz is null or (${CREATED}, cluster, uid) < ($14, $15::text, $16::text))
      order by ${CREATED} desc, cluster desc, uid desc
      limit $17`,
    values: [...filterValues(filter, places), ...(after ?? [null, null, null]), limit + 1],
  };
}

/** The cursor after a Job. */
export function placeOfJob({ created_at: created, first_seen_at: seen, cluster, uid }: JobView): PageCursor {
  return [created ?? seen, cluster, uid];
}
