import { REASON_GROUP } from '../../read-model/situation/job-situation.ts';
import { JOB_COLUMNS } from '../../read-model/queries/jobs.ts';
import { JOBS_ORDERS, type JobsOrder } from '../../read-model/shown/job-lists.ts';
import { meetsSelector, type Requirement } from '../../read-model/queries/label-selector.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { placeValues, visibleIn } from '../../read-model/queries/visible.ts';
import type { Places } from '../../adapters/places.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { cursorParameter, PARTS, type PageCursor } from '../cursor.ts';

export interface JobsFilter {
  cluster?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  /** A part of the name, in upper or lower case. */
  text?: string | undefined;
  status?: readonly string[] | undefined;
  /** The status as kubectl shows it. */
  kubectlStatus?: readonly string[] | undefined;
  /** The reason without numbers of pods. */
  reason?: string | undefined;
  /** Labels that a Job must have, with their values. */
  labels: Readonly<Record<string, string>>;
  /** Further requirements for the labels of the Job. */
  selector?: readonly Requirement[] | undefined;
  /** The object that controls the Job; without `kind`, an object of any kind. */
  owner?: { kind?: string | undefined; name: string } | undefined;
  /** Instants in RFC 3339; `From` is inclusive, `Before` exclusive. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  finishedFrom?: string | undefined;
  finishedBefore?: string | undefined;
  /** Includes deleted Jobs. */
  deleted: boolean;
  /** Includes the members of placed Jobs. The default is false, because a placed Job counts once. */
  members?: boolean | undefined;
}

/** The instant that orders Jobs. */
export const CREATED = 'coalesce(created_at, first_seen_at)';

/**
 * A condition that the Job matches the filter and is in one of the places. The condition uses the first parameters of
 * the statement, `filterValues`.
 */
export const MATCHES = `($1::text is null or cluster = $1) and ($2::text is null or namespace = $2)
        and ($3::text is null or name = $3) and ($4::text[] is null or kubectl_status = any ($4))
        and ($5::jsonb is null or labels @> $5)
        and ($6::timestamptz is null or ${CREATED} >= $6) and ($7::timestamptz is null or ${CREATED} < $7)
        and ($8::timestamptz is null or finished_at >= $8) and ($9::timestamptz is null or finished_at < $9)
        and ($10 or deleted_at is null)
        and ($11::text is null or strpos(lower(name), lower($11)) > 0)
        and ($12::text is null or owner_kind = $12) and ($13::text is null or owner_name = $13)
        and ($14::text[] is null or status = any ($14)) and ($15::text is null or ${REASON_GROUP} = $15)
        and ${meetsSelector('$16')} and ($17::text is null or uid = $17)
        and ${visibleIn(18, 'jobs')} and ($20 or not member)`;

/** The number of parameters of `MATCHES`; the other parameters of a query follow. */
export const FILTER_VALUES = 20;

/** The parameters of `MATCHES`. */
export function filterValues(filter: JobsFilter, places: Places): unknown[] {
  const hasLabels = Object.keys(filter.labels).length > 0;
  return [
    filter.cluster ?? null,
    filter.namespace ?? null,
    filter.name ?? null,
    filter.kubectlStatus ?? null,
    // Null replaces an empty object, which would prevent an index-only scan of Postgres.
    hasLabels ? JSON.stringify(filter.labels) : null,
    filter.createdFrom ?? null,
    filter.createdBefore ?? null,
    filter.finishedFrom ?? null,
    filter.finishedBefore ?? null,
    filter.deleted,
    filter.text ?? null,
    filter.owner?.kind ?? null,
    filter.owner?.name ?? null,
    filter.status ?? null,
    filter.reason ?? null,
    (filter.selector ?? []).length > 0 ? JSON.stringify(filter.selector) : null,
    filter.uid ?? null,
    ...placeValues(places),
    filter.members === true,
  ];
}

/** The values that order Jobs: an SQL expression with its type, and the same value of a row. Each expression has an index. */
const ORDERS = {
  created: {
    column: CREATED,
    type: 'timestamptz',
    of: ({ created_at: created, first_seen_at: seen }: JobView) => created ?? seen,
  },
  // Jobs that have not ended follow all ended Jobs.
  finished: {
    column: `coalesce(finished_at, 'infinity')`,
    type: 'timestamptz',
    of: ({ finished_at: finished }: JobView) => finished ?? 'infinity',
  },
  // Names are compared byte by byte, as Kubernetes orders names.
  name: { column: 'name collate "C"', type: 'text', of: ({ name }: JobView) => name },
} as const;

type Column = keyof typeof ORDERS;

export const NEWEST_FIRST: JobsOrder = '-created';

/** A page of Jobs after a cursor. Selects one row beyond the limit, to show whether more follow. */
export function jobsPage(
  filter: JobsFilter,
  { after, limit, order = NEWEST_FIRST }: { after: PageCursor | null; limit: number; order?: JobsOrder },
  places: Places,
): Statement {
  const { column, type } = ORDERS[orderColumn(order)];
  const [direction, beyond] = order.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
  const [value, cluster, uid, most] = parametersAfter(FILTER_VALUES);
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where ${MATCHES}
        and (${value}::${type} is null or (${column}, cluster, uid) ${beyond} (${value}, ${cluster}::text, ${uid}::text))
      order by ${column} ${direction}, cluster ${direction}, uid ${direction}
      limit ${most}`,
    values: [...filterValues(filter, places), ...(after?.slice(1) ?? [null, null, null]), limit + 1],
  };
}

/** The names of the parameters after the first `count` parameters. */
export function* parametersAfter(count: number): Generator<string, never> {
  for (let at = count + 1; ; at += 1) yield `$${at}`;
}

/** The cursor after a Job, for this order only. */
export function placeOfJob(job: JobView, order: JobsOrder = NEWEST_FIRST): PageCursor {
  return [order, ORDERS[orderColumn(order)].of(job), job.cluster, job.uid];
}

const KEY = [PARTS.text, PARTS.text] as const;
const EXAMPLE = ['2026-04-01T03:12:00Z', 'local', '0d76047d-d315-47c6-b3ef-862f56a8fc33'] as const;

/** The cursor of a page of Jobs in any order. */
export const jobsCursor = cursorParameter(
  [`(?:-?created~${PARTS.instant}|-?finished~(?:infinity|${PARTS.instant})|-?name~${PARTS.text})`, ...KEY],
  [NEWEST_FIRST, ...EXAMPLE],
);

export const newestFirstCursor = cursorParameter(
  [NEWEST_FIRST, PARTS.instant, ...KEY],
  [NEWEST_FIRST, ...EXAMPLE],
);

/** The order in which a cursor was made. */
export function cursorOrder(after: PageCursor | null): JobsOrder | undefined {
  return JOBS_ORDERS.find((each) => each === after?.[0]);
}

function orderColumn(order: JobsOrder): Column {
  return (order.startsWith('-') ? order.slice(1) : order) as Column;
}
