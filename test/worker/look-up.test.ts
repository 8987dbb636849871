import { selectorText } from '../../services/worker/activities/look-up.ts';

describe('a selector in a query', () => {
  it("is written in the API's syntax", () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'gpu', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'x', 'acme.io/y': 'z' }, matchExpressions })).toBe(
      'app=x,acme.io/y=z,tier in (a,b),zone notin (c),gpu,!old',
    );
  });
});
