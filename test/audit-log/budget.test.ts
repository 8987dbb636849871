import { describe, expect, it } from '@jest/globals';
import { createBudget } from '../../services/audit-log/budget.ts';

const START = Date.parse('2026-11-30T08:00:00Z');

/** The number of `count` requests, received `at` seconds after the start, that may be recorded. */
function taken(
  budget: ReturnType<typeof createBudget>,
  { count, at, namespace = 'loud' }: { count: number; at: number; namespace?: string },
): number {
  const request = {
    subject: `${namespace}/pi`,
    data: { receivedAt: new Date(START + at * 1000).toISOString() },
  };
  return Array.from({ length: count }, () => budget(request)).filter(Boolean).length;
}

describe('the budget of audited requests', () => {
  it('limits one namespace, recovers with time, and is independent of other namespaces', () => {
    const budget = createBudget(() => START + 10_000);
    expect(taken(budget, { count: 2500, at: 0 })).toBe(2000);
    expect(taken(budget, { count: 1, at: 0, namespace: 'quiet' })).toBe(1);
    expect(taken(budget, { count: 100, at: 1 })).toBe(50);
  });

  it('is the same for requests that are read late as for requests that are read when they were received', () => {
    const budget = createBudget(() => START + 7_200_000);
    const counts = Array.from({ length: 3600 }, (_, at) => taken(budget, { count: 10, at }));
    expect(counts.every((count) => count === 10)).toBe(true);
  });

  it('does not recover for a request with an earlier or a future time', () => {
    const budget = createBudget(() => START + 10_000);
    expect(taken(budget, { count: 2500, at: 10 })).toBe(2000);
    for (const at of [1, 3600, 2, 7200]) expect(taken(budget, { count: 100, at })).toBe(0);
  });
});
