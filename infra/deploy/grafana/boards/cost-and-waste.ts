import type { Board } from './board.ts';
import type { Panel } from './panel.ts';
import { barsOverTime } from './bars-over-time.ts';
import { CLUSTERS_AND_NAMESPACES, OF_TEAMS, TEAM } from './selected-jobs.ts';

/** A sum of `usage_hourly` over time, by another column or expression. */
function overTime(title: string, about: string, { sum, by }: { sum: string; by: string }): Panel {
  const value = `sum(${sum})::float8 as value`;
  return barsOverTime(title, about, { at: 'hour', by, value, of: 'usage_hourly', where: OF_TEAMS });
}

/** The cause of waste of a row of `usage_hourly` as one text. */
const CAUSE = `coalesce(wasted_by || ': ' || waste_cause, 'not wasted')`;

const SUMS: readonly Panel[] = [
  {
    title: 'In all',
    about:
      'Requested amounts × the time for which pods held a node, in the hours of the period. Wasted is the share of the pod-hours with a cause of waste.',
    kind: 'table',
    width: 24,
    query: {
      sql: `
select
  team,
  round(sum(pod_hours), 2)::float8 as "pod hours",
  round(sum(cpu_core_hours), 2)::float8 as "CPU core hours",
  round(sum(memory_gib_hours), 2)::float8 as "memory GiB hours",
  round(sum(gpu_hours), 2)::float8 as "GPU hours",
  round(coalesce(sum(pod_hours) filter (where wasted_by is not null), 0) / nullif(sum(pod_hours), 0), 3)::float8 as wasted,
  round(sum(cost), 2)::float8 as cost,
  (select min(currency) from jobledger.prices) as currency
from jobledger.usage_hourly
where $__timeFilter(hour) and ${OF_TEAMS}
group by 1
order by 2 desc
limit 50`,
    },
  },
];

const OVER_TIME: readonly Panel[] = [
  overTime('Cost', 'By team, in the currency of the prices.', { sum: 'cost', by: 'team' }),
  overTime('Pod hours', 'By team.', { sum: 'pod_hours', by: 'team' }),
  overTime('GPU hours', 'By team.', { sum: 'gpu_hours', by: 'team' }),
  overTime('Pod hours by cause of waste', 'Time that was not wasted has a bar of its own.', {
    sum: 'pod_hours',
    by: CAUSE,
  }),
];

const LARGEST: readonly Panel[] = [
  {
    title: 'Series that used the most',
    about: 'The 20 series with the most pod-hours, with the part that was wasted.',
    kind: 'table',
    width: 12,
    query: {
      sql: `
select
  namespace,
  series,
  round(sum(pod_hours), 2)::float8 as "pod hours",
  round(coalesce(sum(pod_hours) filter (where wasted_by is not null), 0), 2)::float8 as wasted,
  round(sum(cost), 2)::float8 as cost
from jobledger.usage_hourly
where $__timeFilter(hour) and ${OF_TEAMS}
group by 1, 2
order by 3 desc
limit 20`,
    },
  },
  {
    title: 'Causes of waste',
    about:
      'Who or what wasted the hours of pods: the program, the author of the Job, the platform, an operator, or Jobledger.',
    kind: 'table',
    width: 12,
    query: {
      sql: `
select
  wasted_by as "by",
  waste_cause as cause,
  round(sum(pod_hours), 2)::float8 as "pod hours",
  round(sum(gpu_hours), 2)::float8 as "GPU hours",
  round(sum(cost), 2)::float8 as cost
from jobledger.waste
where $__timeFilter(hour) and ${OF_TEAMS}
group by 1, 2
order by 3 desc
limit 20`,
    },
  },
];

export const COST_AND_WASTE: Board = {
  uid: 'jobledger-cost',
  title: 'Jobledger: cost and waste',
  about:
    'What the Jobs of the selected teams used, what it cost, and what was of no use, from the SQL views usage_hourly and waste. An hour counts for the cluster in which the pods ran.',
  variables: [...CLUSTERS_AND_NAMESPACES, TEAM],
  panels: [...SUMS, ...OVER_TIME, ...LARGEST],
};
