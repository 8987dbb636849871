import { JOB_COLUMNS } from '../../read-model/jobs.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { placeValues, visibleIn } from '../../read-model/visible.ts';
import type { Places } from '../../adapters/places.ts';
import type { PageCursor } from '../cursor.ts';

export interface JobsFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
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

/** The order of Jobs, newest first; the uid makes it unambiguous. */
const CREATED = 'coalesce(created_at, first_seen_at)';

/** A page of Jobs after a cursor, newest first. Selects one row more than the limit, to show whether more follow. */
export function jobsPage(
  filter: JobsFilter,
  after: PageCursor | null,
  limit: number,
  places: Places,
): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where ($1::text is null or cluster = $1) and ($2::text is null or namespace = $2)
        and ($3::text is null or name = $3) and ($4::text[] is null or status = any ($4))
        and labels @> $5::jsonb
        and ($6::timestamptz is null or ${CREATED} >= $6) and ($7::timestamptz is null or ${CREATED} < $7)
        and ($8::timestamptz is null or finished_at >= $8) and ($9::timestamptz is null or finished_at < $9)
        and ($10 or deleted_at is null)
        and ($11::timestamptz is null or (${CREATED}, cluster, uid) < ($11, $12::text, $13::text))
        and ${visibleIn(15, 'jobs')}
      order by ${CREATED} desc, cluster desc, uid desc
      limit $14`,
    values: [
      filter.cluster ?? null,
      filter.namespace ?? null,
      filter.name ?? null,
      filter.status ?? null,
      JSON.stringify(filter.labels),
      filter.createdFrom ?? null,
      filter.createdBefore ?? null,
      filter.finishedFrom ?? null,
      filter.finishedBefore ?? null,
      filter.deleted,
      ...(after ?? [null, null, null]),
      limit + 1,
      ...placeValues(places),
    ],
  };
}
