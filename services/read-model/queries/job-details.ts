import type { Statement } from '../../adapters/postgres/statement.ts';
import { CHAIN_VIEW, CONDITION_VIEW, OBSTACLE_VIEW, POD_VIEW, WHO_VIEW } from '../views/jobs.ts';
import { columnsIn } from '../views/view.ts';

interface JobKey {
  cluster: string;
  uid: string;
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

/** What other programs reported to stand in the way of a Job or its pods, in the order of the first reports. */
export function obstaclesOfJob({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${columnsIn(OBSTACLE_VIEW)} from jobledger.obstacles where cluster = $1 and job_uid = $2
      order by first_at, name, reason`,
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
