import { printableLine } from '../../../services/adapters/printable.ts';
import { isRefused, type Refused } from '../../../workflows/history/refused.ts';
import type { WhatIf } from '../../../workflows/history/what-if/types.ts';
import { countText } from '../../print/counted.ts';
import { table } from '../../print/table.ts';

/** A Job, and its result under the other policy. */
export interface ComparedJob {
  job: string;
  answer: WhatIf | Refused;
}

/** Lists each Job whose end the policy would or might have changed, then the totals. */
export function whatIfText(compared: readonly ComparedJob[]): string {
  const results = compared.flatMap(({ answer }) => (isRefused(answer) ? [] : [answer]));
  const shown = compared.length === 1 ? results : results.filter(({ comparison }) => comparison !== 'same');
  const refusals = compared.filter(({ answer }) => isRefused(answer));
  return [
    ...(shown.length === 0
      ? []
      : [table(['JOB', 'RESULT', 'POD-HOURS', 'SAVED', 'WOULD HAVE BEEN'], shown.map(toRow)), '']),
    ...refusals.map(({ job, answer }) =>
      printableLine(`${job}: no result, ${isRefused(answer) ? answer.message : ''}`),
    ),
    sumsText(results),
  ].join('\n');
}

/** The row about a Job, with its result under the other policy. */
function toRow({ job, comparison, podHours, message }: WhatIf): string[] {
  return [
    job,
    comparison,
    hoursText(podHours.actual),
    podHours.saved === null ? '?' : hoursText(podHours.saved),
    message,
  ];
}

/** The numbers of results, and the saved pod-hours. */
function sumsText(results: readonly WhatIf[]): string {
  // The number of Jobs with this result.
  const count = (comparison: WhatIf['comparison']): number =>
    results.filter((each) => each.comparison === comparison).length;
  const actual = results.reduce((sum, { podHours }) => sum + podHours.actual, 0);
  const saved = results.reduce((sum, { podHours }) => sum + (podHours.saved ?? 0), 0);
  const cores = [...new Set(results.map(({ core }) => core))].toSorted();
  const decidedBy = cores.length === 0 ? '' : `; decided by core ${cores.join(', ')}`;
  return `${countText(results.length, 'Job')}: ${count('same')} the same, ${count('different')} different, ${count('unknown')} unknown; ${hoursText(saved)} of ${hoursText(actual)} pod-hours saved${decidedBy}`;
}

/** A number of pod-hours with two digits after the point; four below one hour. */
function hoursText(number: number): string {
  return number.toFixed(number !== 0 && number < 1 ? 4 : 2);
}
