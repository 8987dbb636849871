import { describe, expect, it } from '@jest/globals';
import { matchesSelector } from '../../../workflows/job/definitions/selector.ts';
import type { LabelSelector } from '../../../workflows/kubernetes/objects.ts';

const labels = { app: 'pi', tier: 'batch' };

function expression(operator: string, key: string, ...values: string[]): LabelSelector {
  return { matchExpressions: [{ key, operator, values }] };
}

describe('a label selector in the core', () => {
  it.each<{ selector: LabelSelector; matches: boolean }>([
    { selector: {}, matches: false },
    { selector: { matchLabels: {} }, matches: false },
    { selector: { matchLabels: { app: 'pi' } }, matches: true },
    { selector: { matchLabels: { app: 'pi', tier: 'web' } }, matches: false },
    { selector: expression('In', 'app', 'e', 'pi'), matches: true },
    { selector: expression('In', 'zone', 'a'), matches: false },
    { selector: expression('In', 'app', 'e'), matches: false },
    { selector: { matchExpressions: [{ key: 'app', operator: 'In' }] }, matches: false },
    { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn' }] }, matches: true },
    { selector: expression('NotIn', 'app', 'e'), matches: true },
    { selector: expression('NotIn', 'zone', 'a'), matches: true },
    { selector: expression('NotIn', 'app', 'pi'), matches: false },
    { selector: expression('Exists', 'app'), matches: true },
    { selector: expression('Exists', 'zone'), matches: false },
    { selector: expression('DoesNotExist', 'zone'), matches: true },
    { selector: expression('DoesNotExist', 'app'), matches: false },
    { selector: expression('Resembles', 'app', 'pi'), matches: false },
    { selector: { matchLabels: { app: 'pi' }, ...expression('Exists', 'zone') }, matches: false },
  ])('matches the labels with $selector: $matches', ({ selector, matches }) => {
    expect(matchesSelector(selector, labels)).toBe(matches);
  });
});
