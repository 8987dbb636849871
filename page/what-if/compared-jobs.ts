import type { WhatIfOfJob } from '../api/rows.ts';
import { duration } from '../components/instants.ts';

interface Totals {
  same: number;
  different: number;
  unknown: number;
  refused: number;
  /** The sum of the known saved pod-hours. */
  savedHours: number;
}

/** The numbers of results, and the saved pod-hours. */
export function sumTotals(compared: readonly WhatIfOfJob[]): Totals {
  const totals = { same: 0, different: 0, unknown: 0, refused: 0, savedHours: 0 };
  for (const { what_if: whatIf } of compared) {
    totals[whatIf?.comparison ?? 'refused'] += 1;
    totals.savedHours += whatIf?.pod_hours.saved ?? 0;
  }
  return totals;
}

/**
 * The Jobs whose end another policy would or might have changed: Jobs with another end, then with an unknown end,
 * then without a result.
 */
export function possiblyChangedJobs(compared: readonly WhatIfOfJob[]): WhatIfOfJob[] {
  const order = ['different', 'unknown', undefined];
  return order.flatMap((comparison) =>
    compared.filter(({ what_if: whatIf }) => whatIf?.comparison === comparison),
  );
}

/** The text about how much earlier the Job would have ended; empty if it would not have ended earlier, or if its end is unknown. */
export function earlierText({ actual, counterfactual }: NonNullable<WhatIfOfJob['what_if']>): string {
  if (actual === null || counterfactual === null) return '';
  const earlier = Date.parse(actual.at) - Date.parse(counterfactual.at);
  return earlier > 0 ? duration(earlier) : '';
}
