import { sql, type Statement } from '../adapters/postgres/statement.ts';

/** A Job as the verbs show it. Timestamps are RFC 3339. */
export interface JobView {
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
  claimed: boolean;
  managed_by: string | null;
  status: string;
  parallelism: number | null;
  completions: number | null;
  completion_mode: string | null;
  backoff_limit: number | null;
  active_deadline_seconds: string | null;
  suspend: boolean;
  labels: Record<string, string>;
  active: number;
  ready: number;
  terminating: number;
  succeeded: number;
  failed: number;
  completed_indexes: string | null;
  failed_indexes: string | null;
  created_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  deletion_requested_at: string | null;
  deleted_at: string | null;
  deletion_seen: boolean | null;
  first_seen_at: string;
  last_seen_at: string;
  decisions: number;
  commands: number;
  failed_commands: number;
  last_decided_at: string | null;
  look_again_at: string | null;
  waiting_rule: string | null;
  waiting_words: string | null;
  waiting_since: string | null;
}

export interface JobFilter {
  namespace?: string | undefined;
  cluster?: string | undefined;
  /** Includes deleted Jobs. */
  deleted: boolean;
  limit: number;
}

/** The columns of `jobs` in a JobView. */
export const JOB_COLUMNS = `cluster, uid, namespace, name, claimed, managed_by, status, parallelism, completions, completion_mode,
  backoff_limit, active_deadline_seconds, suspend, labels, active, ready, terminating, succeeded, failed,
  completed_indexes, failed_indexes, created_at, started_at, finished_at, deletion_requested_at, deleted_at,
  deletion_seen, first_seen_at, last_seen_at, decisions, commands, failed_commands, last_decided_at, look_again_at,
  waiting_rule, waiting_words, waiting_since`;

/** Lists Jobs, newest first. Fetches one more than the limit, so that the caller sees whether there are more. */
export function listJobs(filter: JobFilter): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where ($1::text is null or namespace = $1) and ($2::text is null or cluster = $2)
        and ($3 or deleted_at is null)
      order by coalesce(created_at, first_seen_at) desc, cluster, namespace, name
      limit $4`,
    values: [filter.namespace ?? null, filter.cluster ?? null, filter.deleted, filter.limit + 1],
  };
}

/** Every Job that matches a name, newest first. */
export function jobsNamed(wanted: {
  name: string;
  namespace?: string;
  cluster?: string;
  uid?: string;
}): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where name = $1 and ($2::text is null or namespace = $2) and ($3::text is null or cluster = $3)
        and ($4::text is null or uid = $4)
      order by coalesce(created_at, first_seen_at) desc, first_seen_at desc`,
    values: [wanted.name, wanted.namespace ?? null, wanted.cluster ?? null, wanted.uid ?? null],
  };
}

/** Jobs with at least one decision, oldest first. */
export function drivenJobs(filter: { namespace?: string; cluster?: string }): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs
      where decisions > 0 and ($1::text is null or namespace = $1) and ($2::text is null or cluster = $2)
      order by first_seen_at, cluster, uid`,
    values: [filter.namespace ?? null, filter.cluster ?? null],
  };
}

/** The Job with a uid. */
export function jobsWithUid({ cluster, job_uid: uid }: { cluster: string; job_uid: string }): Statement {
  return {
    text: `select ${JOB_COLUMNS} from jobledger.jobs where cluster = $1 and uid = $2`,
    values: [cluster, uid],
  };
}

/** Similar names, to suggest after a typo. */
export function namesLike(text: string): Statement {
  return sql`select distinct cluster, namespace, name from jobledger.jobs
    where position(${text} in name) > 0 or position(name in ${text}) > 0
    order by cluster, namespace, name limit 5`;
}
