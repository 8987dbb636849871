import { isRefused, type Refused } from '../../../../workflows/history/refused.ts';
import type { WhatIf } from '../../../../workflows/history/what-if/types.ts';
import { counted } from '../../print/counted.ts';
import { table } from '../../print/table.ts';

/** A Job, and what would have become of it. */
export interface Weighed {
  job: string;
  answer: WhatIf | Refused;
}

/** Each Job for which it would have made a difference, or may have; then the sums. */
export function whatIfText(weighed: readonly Weighed[]): string {
  const told = weighed.flatMap(({ answer }) => (isRefused(answer) ? [] : [answer]));
  const shown = weighed.length === 1 ? told : told.filter(({ result }) => result !== 'same');
  const refusals = weighed.filter(({ answer }) => isRefused(answer));
  return [
    ...(shown.length === 0
      ? []
      : [table(['JOB', 'RESULT', 'POD-HOURS', 'SAVED', 'WOULD HAVE BEEN'], shown.map(rowOf)), '']),
    ...refusals.map(({ job, answer }) => `${job}: not asked, ${isRefused(answer) ? answer.words : ''}`),
    sums(told),
  ].join('\n');
}

function rowOf({ job, result, podHours, words }: WhatIf): string[] {
  return [job, result, hours(podHours.actual), podHours.saved === null ? '?' : hours(podHours.saved), words];
}

function sums(told: readonly WhatIf[]): string {
  const count = (result: WhatIf['result']): number => told.filter((each) => each.result === result).length;
  const actual = told.reduce((sum, { podHours }) => sum + podHours.actual, 0);
  const saved = told.reduce((sum, { podHours }) => sum + (podHours.saved ?? 0), 0);
  const cores = [...new Set(told.map(({ core }) => core))].toSorted();
  const asked = cores.length === 0 ? '' : `; decided by core ${cores.join(', ')}`;
  return `${counted(told.length, 'Job')}: ${count('same')} the same, ${count('otherwise')} otherwise, ${count('unknown')} unknown; ${hours(saved)} of ${hours(actual)} pod-hours saved${asked}`;
}

function hours(number: number): string {
  return number.toFixed(number !== 0 && number < 1 ? 4 : 2);
}
