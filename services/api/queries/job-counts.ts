import { cappedSum, type Statement } from '../../adapters/postgres/statement.ts';
import type { Places } from '../../adapters/places.ts';
import type { Grouping } from '../../read-model/shown/job-lists.ts';
import { REASON_GROUP } from '../../read-model/situation/job-situation.ts';
import type { Status } from '../../read-model/shown/statuses.ts';
import { CREATED, FILTER_VALUES, filterValues, MATCHES, parametersAfter, type JobsFilter } from './jobs.ts';

/** Equal parts of a period. Instants and `step` are in milliseconds; the last part may end after the period. */
export interface Buckets {
  from: number;
  before: number;
  step: number;
  count: number;
}

/** Divides a period into at most `most` buckets; an empty period has no bucket. */
export function toBuckets(from: number, before: number, most: number): Buckets {
  const length = Math.max(0, before - from);
  const step = Math.max(1, Math.ceil(length / most));
  return { from, before, step, count: Math.ceil(length / step) };
}

/** The counts of a bucket; empty buckets have no row. */
export interface BucketRow {
  bucket: number;
  created: number;
  completed: number;
  failed: number;
}

/** Counts the creations and ends of the matching Jobs by bucket. */
export function jobsByTime(filter: JobsFilter, buckets: Buckets, places: Places): Statement {
  const [from, before, step] = parametersAfter(FILTER_VALUES);
  /** The condition in SQL that an instant is in the period. */
  const isInPeriod = (instant: string): string =>
    `${instant} >= ${from}::timestamptz and ${instant} < ${before}::timestamptz and ${MATCHES}`;
  return {
    // `status` describes an end as exactly as `kubectl_status`, and is in the index `jobs_counted`.
    text: `select (date_part('epoch', start - ${from}::timestamptz) * 1000 / ${step}::float8)::integer as bucket,
        created, completed, failed
      from (
        select date_bin(${step}::float8 * interval '1 ms', at, ${from}::timestamptz) as start,
          count(*) filter (where failed is null)::integer as created,
          count(*) filter (where not failed)::integer as completed,
          count(*) filter (where failed)::integer as failed
        from (
          select ${CREATED} as at, null as failed from jobledger.jobs where ${isInPeriod(CREATED)}
          union all
          select finished_at, status = 'Failed' from jobledger.jobs where ${isInPeriod('finished_at')}
        ) as happened
        group by start
      ) as counted
      order by start`,
    values: [
      ...filterValues(filter, places),
      new Date(buckets.from).toISOString(),
      new Date(buckets.before).toISOString(),
      buckets.step,
    ],
  };
}

/** The properties that can group Jobs, as SQL over `jobledger.jobs`; Jobs without a value are in no group. */
const VALUES: Readonly<Record<Grouping, string>> = {
  cluster: 'cluster',
  namespace: 'namespace',
  status: 'status',
  kubectl_status: 'kubectl_status',
  reason: REASON_GROUP,
  owner: `owner_kind || '/' || owner_name`,
  waiting: 'case when finished_at is null and deleted_at is null then waiting_rule end',
  failure: `case when kubectl_status = 'Failed' then jsonb_path_query_first(conditions,
      '$[*] ? (@.type == "Failed" && @.status == "True")') ->> 'reason' end`,
};

export interface GroupRow {
  value: string;
  job_count: number;
  active: number;
  message: string | null;
}

/** The numbers of Jobs in a status; a status without Jobs has no row. */
export interface CountRow {
  status: Status;
  job_count: number;
  active: number;
  oldest: string;
}

/** Counts the matching Jobs by status. */
export function jobsByStatus(filter: JobsFilter, places: Places): Statement {
  return {
    text: `select status, count(*)::integer as job_count, ${cappedSum('active')} as active, min(${CREATED}) as oldest
      from jobledger.jobs where ${MATCHES} group by status`,
    values: filterValues(filter, places),
  };
}

/** Counts the matching Jobs by a property, the largest groups first. */
export function jobsByGroup(filter: JobsFilter, by: Grouping, limit: number, places: Places): Statement {
  const [most] = parametersAfter(FILTER_VALUES);
  return {
    text: `select value, count(*)::integer as job_count, ${cappedSum('active')} as active, ${by === 'waiting' ? 'min(waiting_message)' : 'null'} as message
      from (select ${VALUES[by]} as value, active, waiting_message from jobledger.jobs where ${MATCHES}) as matching
      where value is not null
      group by value order by job_count desc, value limit ${most}`,
    values: [...filterValues(filter, places), limit],
  };
}
