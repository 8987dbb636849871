import type {
  PlacementChoice,
  WhatIfPlacements,
} from '../../../workflows/history/what-if-placements/types.ts';
import { countText } from '../../print/counted.ts';
import { table } from '../../print/table.ts';

/** A line for each choice, then the totals, and the time since which the result is unknown. */
export function placementsText({ choices, unknown, cores }: WhatIfPlacements): string {
  const rows = choices.map(({ at, result, actual, counterfactual }) => [
    at,
    choiceText(actual),
    result,
    counterfactual === null ? '?' : choiceText(counterfactual),
    textWithIndexesBegun(result === 'different' ? counterfactual : actual),
  ]);
  const same = choices.filter(({ result }) => result === 'same').length;
  return [
    table(['CHOSEN', 'WAS', 'RESULT', 'WOULD HAVE BEEN', 'MESSAGE'], rows),
    '',
    ...(unknown === null ? [] : [`unknown after ${unknown.since}: ${unknown.message}`]),
    `${countText(choices.length, 'choice')}: ${same} the same; decided by core ${cores.join(', ')}`,
  ].join('\n');
}

/** A choice as text: the cluster, the shares, or that the Job waits. */
function choiceText({ kind, cluster, shares }: PlacementChoice): string {
  switch (kind) {
    case 'given':
      return cluster ?? '';
    case 'left':
      return `leaves ${cluster}`;
    case 'shared':
      return clustersText(shares) === '' ? 'no shares' : clustersText(shares);
    case 'waited':
      return 'waits';
  }
}

/** The message of a choice, with the numbers of indexes that its members begin with. */
function textWithIndexesBegun(choice: PlacementChoice | null): string {
  const begun = clustersText(choice?.begun ?? null);
  return `${choice?.message ?? ''}${begun === '' ? '' : `; members begin with ${begun}`}`;
}

/** A value for each cluster as text. */
function clustersText(byCluster: Readonly<Record<string, number | string>> | null): string {
  return Object.entries(byCluster ?? {})
    .map(([cluster, value]) => `${cluster} ${value}`)
    .join(', ');
}
