import { barsOverTime } from './bars-over-time.ts';
import type { Board } from './board.ts';
import type { Panel } from './panel.ts';
import { CLUSTERS_AND_NAMESPACES, OF_TEAMS, ONE_JOB, TEAM } from './selected-jobs.ts';

const LATE: Panel = {
  title: 'The latest starts',
  about:
    'The starts whose Jobs were created latest after the time of the schedule, or whose time had no Job.',
  kind: 'table',
  width: 24,
  links: { job: ONE_JOB },
  query: {
    sql: `
select
  scheduled_at as scheduled,
  cluster,
  namespace,
  cron_job_name as "CronJob",
  team,
  late_by as "late by",
  missed,
  missed_because as "missed because",
  job_name as job,
  status
from jobledger.cron_runs
where $__timeFilter(scheduled_at) and (missed or late_by > interval '10 seconds') and ${OF_TEAMS}
order by missed desc, late_by desc nulls last
limit 50`,
  },
};

/** The percentiles of the lateness of starts, by the time of the schedule. */
function latePanel(percentile: string, fraction: number): Panel {
  return {
    title: `Scheduled → created, ${percentile}`,
    about: 'By team and by the time of the schedule. Missed starts are not counted.',
    kind: 'lines',
    width: 12,
    unit: 's',
    query: {
      sql: `
select
  $__timeGroupAlias(scheduled_at, $__interval),
  team as metric,
  percentile_cont(${fraction}) within group (order by extract(epoch from late_by)) as value
from jobledger.cron_runs
where $__timeFilter(scheduled_at) and not missed and ${OF_TEAMS}
group by 1, 2
order by 1, 2`,
    },
  };
}

export const LATENESS: Board = {
  uid: 'jobledger-lateness',
  title: 'Jobledger: lateness of CronJobs',
  about:
    'How late the CronJobs of the selected teams start, and which starts were missed, from the SQL view cron_runs.',
  variables: [...CLUSTERS_AND_NAMESPACES, TEAM],
  panels: [
    barsOverTime('Starts', 'By result: missed, or the status of the Job.', {
      at: 'scheduled_at',
      by: "case when missed then 'missed' else status end",
      value: 'count(*) as starts',
      of: 'cron_runs',
      where: OF_TEAMS,
    }),
    barsOverTime('Missed starts', 'By team.', {
      at: 'scheduled_at',
      by: 'team',
      value: 'count(*) as starts',
      of: 'cron_runs',
      where: `missed and ${OF_TEAMS}`,
    }),
    latePanel('p50', 0.5),
    latePanel('p95', 0.95),
    LATE,
  ],
};
