import { sql, type Statement } from '../adapters/postgres/statement.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

export interface PodView {
  uid: string;
  name: string;
  completion_index: number | null;
  phase: string | null;
  exit_code: number | null;
  reason: string | null;
  message: string | null;
  node: string | null;
  restarts: number;
  created_at: string | null;
  started_at: string | null;
  first_ready_at: string | null;
  finished_at: string | null;
  deleted_at: string | null;
  created_rule: string | null;
  why_created: string | null;
  why_ended: string | null;
  counted_as: string | null;
}

export interface ConditionView {
  type: string;
  status: string | null;
  reason: string | null;
  message: string | null;
  last_transition_time: string | null;
  seen_at: string;
}

export interface ClusterView {
  name: string;
  uid: string | null;
  version: string | null;
  first_connected_at: string | null;
  last_connected_at: string | null;
  jobs: number;
  unfinished: number;
  gaps: number;
  last_gap_from: string | null;
  last_gap_to: string | null;
}

/** The columns of `pods` in a PodView. */
export const POD_COLUMNS = `uid, name, completion_index, phase, exit_code, reason, message, node, restarts, created_at,
  started_at, first_ready_at, finished_at, deleted_at, created_rule, why_created, why_ended, counted_as`;

/** Every attempt, ordered by creation. */
export function podsOf({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${POD_COLUMNS} from jobledger.pods where cluster = $1 and job_uid = $2
      order by coalesce(created_at, first_seen_at), first_seen_at, name`,
    values: [cluster, uid],
  };
}

/** Every change of a condition, in order. */
export function conditionsOf({ cluster, uid }: JobKey): Statement {
  return sql`select type, status, reason, message, last_transition_time, seen_at
    from jobledger.conditions where cluster = ${cluster} and job_uid = ${uid}
    order by resource_version, type`;
}

export function allClusters(): Statement {
  return sql`select c.name, c.uid, c.version, c.first_connected_at, c.last_connected_at, j.jobs, j.unfinished,
      c.gaps, c.last_gap_from, c.last_gap_to
    from jobledger.clusters c
    left join lateral (
      select count(*)::integer as jobs, (count(*) filter (where finished_at is null))::integer as unfinished
      from jobledger.jobs where cluster = c.name and deleted_at is null
    ) j on true
    order by c.name`;
}
