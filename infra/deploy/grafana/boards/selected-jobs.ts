import type { Variable } from './board.ts';

/** The condition in SQL on rows with a cluster and a namespace. */
export const CHOSEN = 'cluster in ($cluster) and namespace in ($namespace)';

/** The same condition on rows that also have a team. */
export const OF_TEAMS = `${CHOSEN} and team in ($team)`;

/** The address of the dashboard of one Job, from a row with its cluster, its namespace and its name (`job`). */
export const ONE_JOB =
  '/d/jobledger-job?var-postgres=${postgres}&var-cluster=${__data.fields.cluster}&var-namespace=${__data.fields.namespace}&var-job=${__data.fields.job}&${__url_time_range}';

/** The viewer's choice of clusters and namespaces. */
export const CLUSTERS_AND_NAMESPACES: readonly Variable[] = [
  {
    name: 'cluster',
    label: 'Cluster',
    sql: 'select name from jobledger.clusters order by name',
    isMany: true,
  },
  {
    name: 'namespace',
    label: 'Namespace',
    sql: 'select distinct namespace from jobledger.jobs where cluster in ($cluster) order by namespace',
    isMany: true,
  },
];

/** The viewer's choice of teams. */
export const TEAM: Variable = {
  name: 'team',
  label: 'Team',
  sql: `select distinct team from jobledger.job_runs where ${CHOSEN} order by team`,
  isMany: true,
};
