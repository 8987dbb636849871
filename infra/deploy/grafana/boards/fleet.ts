import type { Board } from './board.ts';
import type { Panel } from './panel.ts';
import { barsOverTime } from './bars-over-time.ts';
import { CHOSEN, CLUSTERS_AND_NAMESPACES, ONE_JOB } from './selected-jobs.ts';

/** The duration of one phase, for the Jobs whose phase ended in the period. */
function phasePanel(title: string, column: string, since: string): Panel {
  return {
    title,
    about: `The 50th, 95th and 99th percentile of ${column} in jobledger.job_phases, by the end of the phase.`,
    kind: 'lines',
    width: 8,
    unit: 's',
    query: {
      sql: `
select
  $__timeGroupAlias(${since}, $__interval),
  percentile_cont(0.5) within group (order by extract(epoch from ${column})) as p50,
  percentile_cont(0.95) within group (order by extract(epoch from ${column})) as p95,
  percentile_cont(0.99) within group (order by extract(epoch from ${column})) as p99
from jobledger.job_phases
where $__timeFilter(${since}) and ${column} is not null and ${CHOSEN}
group by 1
order by 1`,
    },
  };
}

/** The number of rows by the time in `at` and another column or expression. */
function countOverTime(
  title: string,
  about: string,
  rows: { what: 'jobs' | 'pods'; at: string; by: string; where?: string },
): Panel {
  const { what, at, by, where = what === 'jobs' ? 'not member' : undefined } = rows;
  const chosen = where === undefined ? CHOSEN : `${where} and ${CHOSEN}`;
  return barsOverTime(title, about, { at, by, value: `count(*) as ${what}`, of: what, where: chosen });
}

const NOW: readonly Panel[] = [
  {
    title: 'Jobs that have not finished',
    about: 'The present number of unfinished Jobs, by status.',
    kind: 'number',
    width: 12,
    query: {
      sql: `
select kubectl_status as status, count(*) as jobs
from jobledger.jobs
where not member and finished_at is null and deleted_at is null and ${CHOSEN}
group by 1
order by 1`,
    },
  },
  {
    title: 'Pods now',
    about: 'Active, ready and terminating pods, from the statuses of the Jobs that run them.',
    kind: 'number',
    width: 12,
    query: {
      sql: `
select
  coalesce(sum(active), 0)::bigint as active,
  coalesce(sum(ready), 0)::bigint as ready,
  coalesce(sum(terminating), 0)::bigint as terminating
from jobledger.jobs
where managed_by is distinct from 'jobledger.dev/placement' and finished_at is null and deleted_at is null and ${CHOSEN}`,
    },
  },
  {
    title: 'Reasons why Jobs wait',
    about:
      'The reasons why Jobs wait, each with the number of Jobs and the message of the Job that waits longest.',
    kind: 'table',
    width: 24,
    query: {
      sql: `
select
  waiting_rule as rule,
  count(*) as jobs,
  min(waiting_since) as since,
  min(next_decision_at) as "next look",
  (array_agg(waiting_message order by waiting_since))[1] as "the longest"
from jobledger.jobs
where not member and waiting_rule is not null and finished_at is null and deleted_at is null and ${CHOSEN}
group by 1
order by 2 desc`,
    },
  },
];

const THROUGHPUT: readonly Panel[] = [
  countOverTime('Jobs created', 'By cluster.', { what: 'jobs', at: 'created_at', by: 'cluster' }),
  countOverTime('Jobs finished', 'The number of Jobs that ended, by the kind of the end.', {
    what: 'jobs',
    at: 'finished_at',
    by: 'status',
  }),
  phasePanel('Created → first pod', 'until_first_pod', 'first_pod_at'),
  phasePanel('First pod → first ready', 'until_first_ready', 'first_ready_at'),
  phasePanel('First ready → end', 'until_finished', 'finished_at'),
];

/** A pod that was deleted while it ran may end as Failed too. */
const FAILED_ATTEMPT = "phase = 'Failed' and end_message not like 'deleted %'";

const FAILURES: readonly Panel[] = [
  countOverTime(
    'Attempts that failed',
    'Failed pods, without those that were deleted while they ran, by exit code, or by reason when there is no exit code.',
    {
      what: 'pods',
      at: 'finished_at',
      by: "coalesce('exit code ' || exit_code, reason, 'unknown')",
      where: FAILED_ATTEMPT,
    },
  ),
  countOverTime('Evicted pods', 'Pods that were preempted, drained or evicted by their node, by cluster.', {
    what: 'pods',
    at: 'finished_at',
    by: 'cluster',
    where: "end_message like 'evicted%'",
  }),
  {
    title: 'Jobs with the most failed attempts',
    about:
      'The Jobs with failed attempts in the period, most attempts first, with their exit codes and the pod-hours lost.',
    kind: 'table',
    width: 12,
    links: { job: ONE_JOB },
    query: {
      sql: `
select
  cluster,
  namespace,
  job_name as job,
  count(*) as failed,
  string_agg(distinct exit_code::text, ', ') as "exit codes",
  round(sum(extract(epoch from coalesce(finished_at, deleted_at) - created_at)) / 3600, 2) as "pod-hours lost"
from jobledger.pods
where $__timeFilter(finished_at) and ${FAILED_ATTEMPT} and ${CHOSEN}
group by cluster, job_uid, namespace, job_name
order by failed desc, job
limit 20`,
    },
  },
  {
    title: 'Jobs that failed',
    about:
      'With the reason of their condition Failed: deadlines, back-off limits, failed indexes, failure policies.',
    kind: 'table',
    width: 12,
    links: { job: ONE_JOB },
    query: {
      sql: `
select seen_at as "time", cluster, namespace, job_name as job, reason, message
from jobledger.conditions
where $__timeFilter(seen_at) and type = 'Failed' and status = 'True' and ${CHOSEN}
  and not exists (select from jobledger.placements p where p.placed_in = conditions.cluster and p.member_uid = conditions.job_uid)
order by seen_at desc
limit 50`,
    },
  },
  {
    title: 'Commands that failed',
    about: 'Failed commands to the cluster, by kind and rule, with the last error.',
    kind: 'table',
    width: 12,
    query: {
      sql: `
select kind, rule, count(*) as commands, max(decided_at) as last, (array_agg(error order by decided_at desc))[1] as error
from jobledger.commands
where $__timeFilter(decided_at) and error is not null and ${CHOSEN}
group by 1, 2
order by 3 desc`,
    },
  },
  {
    title: 'Gaps',
    about: 'Periods in which events may have been missed, with the number of Jobs that existed then.',
    kind: 'table',
    width: 12,
    query: {
      sql: `
select g.since as "from", g.until as "to", g.cluster, g.resource, g.reason, count(j.uid) as jobs
from jobledger.gaps g
left join jobledger.jobs j
  on j.cluster = g.cluster and j.first_seen_at <= g.until and coalesce(j.deleted_at, 'infinity') >= g.since
where $__timeFilter(g.until) and g.cluster in ($cluster)
group by 1, 2, 3, 4, 5
order by g.until desc
limit 50`,
    },
  },
];

export const FLEET: Board = {
  uid: 'jobledger-fleet',
  title: 'Jobledger: the fleet',
  about:
    'All Jobs of the selected clusters and namespaces, from the SQL tables. A placed Job is counted in its home, and its pods in the clusters where they run.',
  variables: CLUSTERS_AND_NAMESPACES,
  panels: [...NOW, ...THROUGHPUT, ...FAILURES],
};
