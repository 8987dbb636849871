import { describe, expect, it } from '@jest/globals';
import { selectorText } from '../../services/ingester/orphans.ts';

describe('a selector in a query', () => {
  it('has labels and expressions as the API reads them', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'kept', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'pi' }, matchExpressions })).toBe(
      'app=pi,tier in (a,b),zone notin (c),kept,!old',
    );
  });
});
