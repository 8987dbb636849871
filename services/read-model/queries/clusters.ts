import { ANY, isWithin, type Places } from '../../adapters/places.ts';
import { sql, cappedSum, type Statement } from '../../adapters/postgres/statement.ts';
import { placeValues, visibleCluster, visibleIn } from './visible.ts';

/** The names of the clusters that were ever connected and that the places include. */
export function clusterNames(places: Places = null): Statement {
  return {
    text: `select name from jobledger.clusters where ${visibleCluster(1, 'name')} order by name`,
    values: [placeValues(places)[0]],
  };
}

/** The text of the error for an unknown cluster. */
export function unknownClusterText(cluster: string, known: readonly string[]): string {
  return `no cluster "${cluster}" was ever connected; there are: ${known.join(', ') || 'none'}`;
}

/** Every cluster of the places, with the numbers of its Jobs and of its unusable records in the ledger. */
export function allClusters(places: Places = null): Statement {
  return {
    text: `select c.name, c.uid, c.version, c.apis, c.not_recorded, c.first_connected_at, c.last_connected_at, j.job_count, j.unfinished_count,
        c.gap_count, c.last_gap_since, c.last_gap_until, least(j.active_pod_count::bigint + here.active_pod_count - elsewhere.active_pod_count, 2147483647)::integer as active_pod_count,
        a.last_api_request_at, here.placed_count, d.dead_letter_count, d.first_dead_letter_at
      from jobledger.clusters c
      cross join lateral (select c.name as cluster, null::text as namespace) whole
      left join lateral (
        select count(*)::integer as job_count, (count(*) filter (where finished_at is null))::integer as unfinished_count,
          ${cappedSum('active')} as active_pod_count
        from jobledger.jobs where jobs.cluster = c.name and deleted_at is null and not member and ${visibleIn(1, 'jobs')}
      ) j on true
      left join lateral (
        select recorded_at as last_api_request_at from jobledger.api_requests
        where api_requests.cluster = c.name order by recorded_at desc limit 1
      ) a on true
      left join lateral (
        select count(*)::integer as placed_count, ${cappedSum('jobs.active')} as active_pod_count
        from jobledger.placements left join jobledger.jobs
          on jobs.cluster = placed_in and jobs.uid = member_uid and jobs.member and jobs.deleted_at is null
        where placed_in = c.name and ended_at is null and ${visibleIn(1, 'placements', 'placed_in')}
      ) here on true
      left join lateral (
        select ${cappedSum('jobs.active')} as active_pod_count
        from jobledger.jobs where jobs.cluster = c.name and deleted_at is null and ${visibleIn(1, 'jobs')}
          and (jobs.cluster, jobs.uid) in (select p.cluster, p.job_uid from jobledger.placements p
            where p.cluster = c.name and p.ended_at is null)
      ) elsewhere on true
      left join lateral (
        select count(*)::integer as dead_letter_count, min(found_at) as first_dead_letter_at
        from jobledger.dead_letters
        where retried_at is null and ${isOfCluster('key', 'c.name')}
      ) d on ${visibleIn(1, 'whole')}
      where ${visibleCluster(1, 'c.name')}
      order by c.name`,
    values: placeValues(places),
  };
}

/** The condition in SQL that a key belongs to the cluster (`<cluster>`) or to an object in it (`<cluster>/<uid>`). */
function isOfCluster(key: string, cluster: string): string {
  const rest = `substr(${key}, length(${cluster}) + 1)`;
  return `starts_with(${key}, ${cluster}) and ${rest} ~ '^(/[^/]*)?$'`;
}

/**
 * The placed Jobs that a cluster has, by home, namespace, name and uid, after a row with these values.
 * With `limit` null, all rows are returned. Without rights in the whole cluster, a reader also sees Jobs whose homes
 * it may read.
 */
export function placedJobsIn(
  cluster: string,
  { after = null, limit }: { after?: readonly string[] | null; limit: number | null },
  places: Places = null,
): Statement {
  return {
    text: `select placements.cluster as home, placements.namespace, placements.job_name, placements.job_uid, member_name, member_uid,
        stopping, count(pods.uid)::integer as pod_count, count(distinct pods.completion_index)::integer as index_count
      from jobledger.placements
      left join jobledger.pods on pods.cluster = placed_in and pods.job_uid = member_uid
        and pods.finished_at is null and pods.deleted_at is null
      where placed_in = $3 and ended_at is null and ${visibleIn(1, 'placements', 'placed_in')}
        and ($9 or ${visibleIn(1, 'placements')})
        and ($4::text is null or (placements.cluster, placements.namespace, placements.job_name, placements.job_uid)
          > ($4, $5::text, $6::text, $7::text))
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4 limit $8`,
    values: [
      ...placeValues(places),
      cluster,
      ...(after ?? [null, null, null, null]),
      limit,
      isWithin(places, cluster, ANY),
    ],
  };
}

/** Selects one row. */
export const ALL_DEAD_LETTERS: Statement = sql`select count(*)::integer as dead_letter_count,
    min(found_at) as first_dead_letter_at
  from jobledger.dead_letters where retried_at is null`;
