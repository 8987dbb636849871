import { describe, expect, it } from '@jest/globals';
import type { WhatIfOfJob } from '../../page/api/rows.ts';
import { earlierText, possiblyChangedJobs, sumTotals } from '../../page/what-if/compared-jobs.ts';

type Result = NonNullable<WhatIfOfJob['what_if']>;

const end = (at: string): Result['actual'] => ({ type: 'Failed', reason: 'r', message: 'm', at });

function compared(comparison: Result['comparison'] | null, saved: number | null = null): WhatIfOfJob {
  const result = { comparison, pod_hours: { actual: 2, saved } } as Result;
  return {
    cluster: 'east',
    namespace: 'default',
    name: String(comparison),
    uid: String(comparison),
    what_if: comparison === null ? null : result,
    refused: comparison === null ? 'too long' : null,
  };
}

const JOBS = [compared('same', 0), compared(null), compared('unknown'), compared('different', 1.5)];

describe('the compared Jobs of a what-if', () => {
  it('are counted by their result, with the pod-hours that the other policy would have saved', () => {
    expect(sumTotals(JOBS)).toEqual({ same: 1, different: 1, unknown: 1, refused: 1, savedHours: 1.5 });
  });

  it('are shown unless they would certainly have ended in the same way', () => {
    expect(possiblyChangedJobs(JOBS).map(({ name }) => name)).toEqual(['different', 'unknown', 'null']);
  });

  it('are shown with the time by which they would have ended earlier, or without a time', () => {
    const result = (actual: string | null, other: string | null): Result =>
      ({ actual: actual && end(actual), counterfactual: other && end(other) }) as Result;
    expect(earlierText(result('2026-11-22T01:00:00Z', '2026-11-22T00:30:00Z'))).toBe('30 min');
    expect(earlierText(result('2026-11-22T01:00:00Z', '2026-11-22T01:30:00Z'))).toBe('');
    expect(earlierText(result('2026-11-22T01:00:00Z', null))).toBe('');
    expect(earlierText(result(null, '2026-11-22T01:00:00Z'))).toBe('');
  });
});
