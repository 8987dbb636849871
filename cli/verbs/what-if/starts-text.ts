import {
  START_RESULTS,
  type ComparedStart,
  type WhatIfStarts,
} from '../../../workflows/history/what-if-starts/types.ts';
import { counted } from '../../print/counted.ts';
import { table } from '../../print/table.ts';

/** A line for each start, then the totals, and the time since which the result is unknown. */
export function startsText({ starts, totals, unknown, core }: WhatIfStarts): string {
  const counts = START_RESULTS.filter((result) => totals[result] > 0).map(
    (result) => `${totals[result]} ${result}`,
  );
  const sums = [counted(starts.length, 'start'), ...counts].join(', ').replace(',', ':');
  return [
    ...(starts.length === 0
      ? []
      : [table(['SCHEDULED', 'STARTED', 'RESULT', 'WOULD HAVE STARTED', 'WORDS'], starts.map(rowOf)), '']),
    ...(unknown === null ? [] : [`unknown from ${unknown.since} on: ${unknown.words}`]),
    `${sums}; decided by core ${core}`,
  ].join('\n');
}

function rowOf({ scheduledAt, result, words, actual, counterfactual }: ComparedStart): string[] {
  const would = counterfactual === null ? '?' : (counterfactual.startedAt ?? '-');
  return [scheduledAt, actual.startedAt ?? '-', result, would, words];
}
