import type { Panel } from './panel.ts';

/** Bars of a value over the time in `at`, one colour for each value of another column or expression. `of` is a table or view. */
export function barsOverTime(
  title: string,
  about: string,
  { at, by, value, of, where }: { at: string; by: string; value: string; of: string; where: string },
): Panel {
  return {
    title,
    about,
    kind: 'bars',
    width: 12,
    query: {
      sql: `
select $__timeGroupAlias(${at}, $__interval), ${by} as metric, ${value}
from jobledger.${of}
where $__timeFilter(${at}) and ${where}
group by 1, 2
order by 1, 2`,
    },
  };
}
