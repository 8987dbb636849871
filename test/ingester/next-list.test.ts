import { describe, expect, it } from '@jest/globals';
import { nextListAt } from '../../services/ingester/watch/periodic-list.ts';

const SECOND = 1000;
const EVERY = 300 * SECOND;

describe('the next periodic list', () => {
  it('begins one interval after the begin of the last list', () => {
    expect(nextListAt({ begun: 5 * SECOND, ended: 8 * SECOND }, EVERY)).toBe(305 * SECOND);
  });

  it('begins after ten times the duration of a list that takes longer than the API server keeps the version of the list', () => {
    expect(nextListAt({ begun: 0, ended: 400 * SECOND }, EVERY)).toBe(4400 * SECOND);
  });

  it('begins no earlier than one interval after the begin of a long list', () => {
    expect(nextListAt({ begun: 0, ended: 31 * SECOND }, 2 * EVERY)).toBe(631 * SECOND);
  });
});
