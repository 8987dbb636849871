import { ANY, isWithin, type Places } from '../adapters/places.ts';
import { sql, cappedSum, type Statement } from '../adapters/postgres/statement.ts';
import { CHAIN_VIEW, columnsIn, CONDITION_VIEW, POD_VIEW, WHO_VIEW } from './views.ts';
import { placeValues, visibleCluster, visibleIn } from './visible.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

export interface ClusterView {
  name: string;
  uid: string | null;
  version: string | null;
  apis: string[] | null;
  first_connected_at: string | null;
  last_connected_at: string | null;
  job_count: number;
  unfinished_count: number;
  gap_count: number;
  last_gap_since: string | null;
  last_gap_until: string | null;
  /** The time when the last request of the audit log was recorded, in any namespace; null without such a request. */
  last_api_request_at: string | null;
  /** The number of active pods of the Jobs that run in the cluster, including members, but not their placed Jobs. */
  active_pod_count: number;
  /** The number of placed Jobs that the cluster has. */
  placed_count: number;
  /** The number of dead letters about the cluster; null when the places do not include the whole cluster. */
  dead_letter_count: number | null;
  first_dead_letter_at: string | null;
}

/** The columns of `pods` that a PodView contains. */
export const POD_COLUMNS = columnsIn(POD_VIEW);

/** Every pod of a Job, ordered by creation. */
export function selectPods({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${POD_COLUMNS} from jobledger.pods where cluster = $1 and job_uid = $2
      order by coalesce(created_at, first_seen_at), first_seen_at, name`,
    values: [cluster, uid],
  };
}

/** Every change of a condition of a Job, in order. */
export function selectConditions({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${columnsIn(CONDITION_VIEW)} from jobledger.conditions where cluster = $1 and job_uid = $2
      order by resource_version, type`,
    values: [cluster, uid],
  };
}

/** The maximum number of actions of a Job that are read. */
const MOST_ACTIONS = 100;

/** The last actions on a Job with their users, in order. */
export function actionsOnJob({ cluster, uid }: JobKey): Statement {
  const columns = columnsIn(WHO_VIEW);
  return {
    text: `select ${columns} from (
        select ${columns} from jobledger.who where cluster = $1 and job_uid = $2 order by at desc, action limit ${MOST_ACTIONS}
      ) latest order by at, action`,
    values: [cluster, uid],
  };
}

/** The Jobs that a Job waits for, or waited for, in the order of its annotation. */
export function chainOfJob({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${columnsIn(CHAIN_VIEW)} from jobledger.job_chains where cluster = $1 and job_uid = $2 order by position`,
    values: [cluster, uid],
  };
}

/** The placed Job that a member runs, as one row; empty for any other Job. */
export function selectHome({ cluster, uid }: JobKey): Statement {
  return {
    text: `select cluster, namespace, job_name as name, job_uid as uid from jobledger.placements
      where placed_in = $1 and member_uid = $2 limit 1`,
    values: [cluster, uid],
  };
}

/** A placed Job that a cluster has. */
export interface PlacedView {
  home: string;
  namespace: string;
  job_name: string;
  job_uid: string;
  member_name: string;
  member_uid: string | null;
  /** The reason why the member is stopped although the Job continues; null while the member runs. */
  stopping: string | null;
  /** The number of pods that have not ended, and the number of the indexes that they run. */
  pod_count: number;
  index_count: number;
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

/** Every cluster of the places, with the numbers of its Jobs and of its unusable records in the ledger. */
export function allClusters(places: Places = null): Statement {
  return {
    text: `select c.name, c.uid, c.version, c.apis, c.first_connected_at, c.last_connected_at, j.job_count, j.unfinished_count,
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

/** The unusable records of the ledger with any key. */
export interface DeadLettersView {
  dead_letter_count: number;
  first_dead_letter_at: string | null;
}

/** Selects one row. */
export const ALL_DEAD_LETTERS: Statement = sql`select count(*)::integer as dead_letter_count,
    min(found_at) as first_dead_letter_at
  from jobledger.dead_letters where retried_at is null`;
