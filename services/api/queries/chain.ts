import type { Status } from '../../read-model/shown/statuses.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';

/** A Job that waits, or waited, for another Job. */
export interface ChainLink {
  waiting: string;
  awaited: string;
  awaited_uid: string | null;
  waiting_uid: string;
  condition: string;
  condition_status: string;
  since: string | null;
  status: string;
}

/** A Job of a chain in its present state. */
export interface ChainJob {
  uid: string;
  name: string;
  status: Status;
  reason: string | null;
  waiting_for: string | null;
  started_at: string | null;
  finished_at: string | null;
  deleted_at: string | null;
}

interface JobKey {
  cluster: string;
  namespace: string;
  uid: string;
}

/**
 * The links of the chain that contains a Job, from its predecessors to its successors, directly or through other Jobs.
 * Selects at most `limit` plus one links, to show whether more exist.
 */
export function linksOfChain({ cluster, namespace, uid }: JobKey, limit: number): Statement {
  return sql`with recursive links as materialized (
      select job_name as waiting, job_uid as waiting_uid, awaited_name as awaited, awaited_uid, condition, condition_status, since, status,
        position
      from jobledger.job_chains where cluster = ${cluster} and namespace = ${namespace}
    ), members as (
      select ${uid}::text as uid
      union
      select case when l.waiting_uid = m.uid then l.awaited_uid else l.waiting_uid end
      from members m join links l
        on l.waiting_uid = m.uid and l.awaited_uid is not null or l.awaited_uid = m.uid
    ), known as (select uid from members limit ${limit + 1})
    select waiting, waiting_uid, awaited, awaited_uid, condition, condition_status, since, status
    from links where waiting_uid in (select uid from known)
    order by waiting, waiting_uid, position limit ${limit + 1}`;
}

/** Selects the Jobs with the given uids. */
export function jobsOfChain({ cluster }: JobKey, uids: readonly string[]): Statement {
  return sql`select uid, name, status, reason, waiting_for, started_at, finished_at, deleted_at
    from jobledger.jobs where cluster = ${cluster} and uid = any (${uids}::text[]) order by name, uid`;
}
