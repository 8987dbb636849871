import { describe, expect, it } from '@jest/globals';
import { createBudget } from '../../services/contracts/audit-log/budget.ts';

describe('the budget of audited requests', () => {
  it('of a namespace ends, comes back with time, and is no other one’s', () => {
    let now = 0;
    const budget = createBudget(() => now);
    const taken = Array.from({ length: 2500 }, () => budget('loud')).filter(Boolean).length;
    expect(taken).toBe(2000);
    expect(budget('quiet')).toBe(true);
    now += 1000;
    expect(Array.from({ length: 100 }, () => budget('loud')).filter(Boolean).length).toBe(50);
  });
});
