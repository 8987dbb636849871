import type { Places } from '../../adapters/places.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { USAGE_VIEW, type UsageByGroup, type UsageGrouping, type UsageView } from '../views/usage.ts';
import { placeValues, visibleCluster, visibleIn } from './visible.ts';

/** A period in milliseconds since 1970, and the Jobs whose usage is summed; a missing member selects all. */
export interface UsageFilter {
  from: number;
  before: number;
  by: UsageGrouping;
  cluster?: string | undefined;
  namespace?: string | undefined;
  team?: string | undefined;
  /** The maximum number of groups. */
  limit: number;
}

/** A row of the query: a group, or the sum of all groups. */
interface UsageRow extends UsageView {
  is_total: boolean;
  currency: string | null;
}

/** The groupings as SQL over `jobledger.usage_hourly`. */
const VALUES: Readonly<Record<UsageGrouping, string>> = {
  team: 'team',
  namespace: 'namespace',
  series: `namespace || '/' || series`,
  cluster: 'cluster',
  waste: `wasted_by || ': ' || waste_cause`,
  day: `to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
};

const HOUR_MS = 3_600_000;
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:00:00Z')];
/** The length of a period that only has an end. */
const WEEK_MS = 7 * 24 * HOUR_MS;

/** A period in milliseconds since 1970: until now by default, and seven days long. */
export function usagePeriod(given: { from: number | undefined; before: number | undefined }): {
  from: number;
  before: number;
} {
  const before = given.before ?? Date.now();
  return { from: given.from ?? before - WEEK_MS, before };
}

/** Reads the usage in the whole hours that contain the period. */
export async function readUsage(run: Run, filter: UsageFilter, places: Places = null): Promise<UsageByGroup> {
  const from = hourText(Math.floor(filter.from / HOUR_MS));
  const before = hourText(Math.ceil(filter.before / HOUR_MS));
  const [sum, ...groups] = await run<UsageRow>(usageBetween(from, before, filter, places));
  if (sum === undefined) throw new Error('the usage has no sum');
  const items = groups.map((group) => USAGE_VIEW.parse(group));
  return { from, before, currency: sum.currency, total: USAGE_VIEW.omit({ value: true }).parse(sum), items };
}

/** The beginning of an hour, counted from 1970, in RFC 3339; within the years that RFC 3339 and Postgres can write. */
function hourText(hour: number): string {
  return new Date(Math.min(Math.max(hour * HOUR_MS, EARLIEST), LATEST)).toISOString();
}

/**
 * The sum, then the groups with the most pod-hours, or the days and hours in order. The rows are selected first, because
 * with grouping sets Postgres would count all hours and filter them afterwards.
 */
function usageBetween(from: string, before: string, filter: UsageFilter, places: Places): Statement {
  const { by, cluster, namespace, team, limit } = filter;
  const isOverTime = by === 'day' || by === 'hour';
  return {
    text: `select value, is_total, pod_hours::float8, cpu_core_hours::float8, memory_gib_hours::float8, gpu_hours::float8,
        wasted_pod_hours::float8, uncertain_pod_hours::float8, watched::float8,
        round(cost, 6)::text as cost, round(wasted_cost, 6)::text as wasted_cost,
        (select min(currency) from jobledger.prices
          where prices.cluster = '*' or ${visibleCluster(7, 'prices.cluster')}) as currency
      from (
        with u as materialized (
          select u.*
          from jobledger.usage_hourly u
          where hour >= $1 and hour < $2
            and ($3::text is null or cluster = $3) and ($4::text is null or namespace = $4) and ($5::text is null or team = $5)
            and ${visibleIn(7, 'u')}
        )
        select ${VALUES[by]} as value, grouping(${VALUES[by]}) = 1 as is_total,
          coalesce(sum(pod_hours), 0) as pod_hours,
          coalesce(sum(cpu_core_hours), 0) as cpu_core_hours,
          coalesce(sum(memory_gib_hours), 0) as memory_gib_hours,
          coalesce(sum(gpu_hours), 0) as gpu_hours,
          coalesce(sum(pod_hours) filter (where wasted_by is not null), 0) as wasted_pod_hours,
          coalesce(sum(pod_hours - pod_hours_at_least), 0) as uncertain_pod_hours,
          coalesce(sum(watched * pod_hours) / nullif(sum(pod_hours), 0), 1) as watched,
          sum(cost) as cost,
          sum(cost) filter (where wasted_by is not null) as wasted_cost
        from u
        group by grouping sets ((${VALUES[by]}), ())
      ) as summed
      order by is_total desc, ${isOverTime ? 'value' : 'pod_hours desc, value'}
      limit $6::bigint + 1`,
    values: [from, before, cluster ?? null, namespace ?? null, team ?? null, limit, ...placeValues(places)],
  };
}
