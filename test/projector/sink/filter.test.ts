import { describe, expect, it } from '@jest/globals';
import { EVERYTHING, passesFilter, type MessageFilter } from '../../../services/projector/sink/filter.ts';
import { attemptFailed, completed, failed, started } from './messages.ts';

const ALL = [started(), attemptFailed(), completed(), failed()];

/** Which of a start, a failed attempt, a success and a failure a sink gets. */
function passing(filter: Partial<MessageFilter>): boolean[] {
  return ALL.map((message) => passesFilter({ ...EVERYTHING, ...filter }, message));
}

describe('the filter of a sink', () => {
  it('passes every message when it is not set', () => {
    expect(passing({})).toEqual([true, true, true, true]);
  });

  it.each<[string, Partial<MessageFilter>]>([
    ['namespaces', { namespaces: ['shop', 'bank'] }],
    ['clusters', { clusters: ['east'] }],
    ['labels', { labels: { team: 'payments' } }],
  ])('passes all messages of a Job that matches its %s', (_part, filter) => {
    expect(passing(filter)).toEqual([true, true, true, true]);
  });

  it.each<[string, Partial<MessageFilter>]>([
    ['another namespace', { namespaces: ['shop-2'] }],
    ['another cluster', { clusters: ['west'] }],
    ['another value of a label', { labels: { team: 'search' } }],
    ['only some of the labels', { labels: { team: 'payments', tier: '1' } }],
    ['the namespace, but not the cluster', { namespaces: ['shop'], clusters: ['west'] }],
  ])('passes no message of a Job with %s', (_situation, filter) => {
    expect(passing(filter)).toEqual([false, false, false, false]);
  });

  it.each([
    [['Failed'], [true, true, false, true]],
    [['Complete'], [true, false, true, false]],
    [['BackoffLimitExceeded'], [true, false, false, true]],
    [['OOMKilled'], [true, true, false, false]],
    [
      ['DeadlineExceeded', 'Complete'],
      [true, false, true, false],
    ],
  ])(
    'passes, with the outcomes %j, the ends and failed attempts that have one of them, and all starts',
    (outcomes, expected) => {
      expect(passing({ outcomes })).toEqual(expected);
    },
  );
});
