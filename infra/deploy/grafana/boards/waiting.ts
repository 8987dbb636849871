import type { Board } from './board.ts';
import type { Panel } from './panel.ts';
import { CLUSTERS_AND_NAMESPACES, OF_TEAMS, ONE_JOB, TEAM } from './selected-jobs.ts';

const NOW: readonly Panel[] = [
  {
    title: 'Jobs that wait now',
    about: 'By team. A Job that only waits for the end of its running pods is not counted.',
    kind: 'number',
    width: 24,
    query: {
      sql: `
select team, count(*) as jobs
from jobledger.waiting_now
where ${OF_TEAMS}
group by 1
order by 1`,
    },
  },
  {
    title: 'The longest waits',
    about: 'The Jobs that wait longest, with the reason, and the end of the wait if it is known.',
    kind: 'table',
    width: 24,
    links: { job: ONE_JOB },
    query: {
      sql: `
select
  waiting_since as since,
  waiting_until as until,
  cluster,
  namespace,
  job_name as job,
  team,
  status,
  waiting_for as "waits for"
from jobledger.waiting_now
where ${OF_TEAMS}
order by waiting_since
limit 50`,
    },
  },
];

/** The percentiles of the wait of Jobs, by the time of their creation. */
function waitPanel(percentile: string, fraction: number): Panel {
  return {
    title: `Created → first container, ${percentile}`,
    about:
      'By team and by the time of creation. A placed Job waits for the first container of its members. Jobs without a container are not counted.',
    kind: 'lines',
    width: 8,
    unit: 's',
    query: {
      sql: `
select
  $__timeGroupAlias(created_at, $__interval),
  team as metric,
  percentile_cont(${fraction}) within group (order by extract(epoch from waited)) as value
from jobledger.job_runs
where $__timeFilter(created_at) and waited is not null and ${OF_TEAMS}
group by 1, 2
order by 1, 2`,
    },
  };
}

export const WAITING: Board = {
  uid: 'jobledger-waiting',
  title: 'Jobledger: waiting',
  about:
    'How long the Jobs of the selected teams wait, and why, from the SQL views waiting_now and job_runs.',
  variables: [...CLUSTERS_AND_NAMESPACES, TEAM],
  panels: [...NOW, waitPanel('p50', 0.5), waitPanel('p95', 0.95), waitPanel('p99', 0.99)],
};
