import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { findIgnoredParts } from '../../page/address/ignored-parts.ts';
import {
  parsePageAddress,
  COLUMNS,
  JOB_TABS,
  toSearch,
  type PageAddress,
} from '../../page/address/page-address.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const word = fc.constantFrom('Running', 'Failed', 'Complete');
const instant = fc.integer({ min: 0, max: Date.parse('2100-01-01') });
const label = fc
  .tuple(fc.stringMatching(/^[^=\s\0]{1,20}$/), fc.stringMatching(/^[^=\s\0]{0,20}$/))
  .map((parts) => parts.join('='));
const filters = fc.record(
  {
    cluster: text,
    namespace: text,
    text,
    kubectlStatus: fc.uniqueArray(word, { minLength: 1 }),
    status: fc.array(text, { minLength: 1 }),
    reason: text,
    deleted: fc.constant('hidden'),
    labels: fc.array(label, { minLength: 1 }),
    owner: text,
    from: instant,
    before: instant,
  },
  { requiredKeys: [] },
);
const length = fc.constantFrom('hour', 'day', 'week', 'month');
const columns = fc.uniqueArray(fc.constantFrom(...COLUMNS), { minLength: 1 });
const group = fc.constantFrom(
  'reason',
  'status',
  'cluster',
  'namespace',
  'owner',
  'kubectl_status',
  'waiting',
  'failure',
);
const sort = fc.constantFrom('-created', 'created', '-finished', 'finished', '-name', 'name');
const set = fc.array(text);
const job = fc.record(
  {
    cluster: text,
    namespace: text,
    name: text,
    uid: text,
    pod: text,
    at: instant,
    compare: instant,
    set: fc.array(text, { minLength: 1 }),
    tab: fc.constantFrom(...JOB_TABS),
    other: text,
  },
  { requiredKeys: ['cluster', 'namespace', 'name'] },
);

describe('an address of the page', () => {
  it('leads to the view for which it was made, whatever names it contains', () => {
    const shown = fc.oneof(
      filters.map((each): PageAddress => ({ view: 'fleet', filters: each as never })),
      fc
        .record({ filters, length, group, sort, columns }, { requiredKeys: ['filters'] })
        .map((each): PageAddress => ({ view: 'fleet', ...each }) as never),
      fc.record({ filters, set }).map((each): PageAddress => ({ view: 'what-if', ...each }) as never),
      fc
        .record({ cluster: text }, { requiredKeys: [] })
        .map((each): PageAddress => ({ view: 'submit', ...each }) as never),
      fc.constant<PageAddress>({ view: 'clusters' }),
      fc
        .record({ cluster: text, namespace: text }, { requiredKeys: [] })
        .map((each): PageAddress => ({ view: 'cron-jobs', ...each }) as never),
      fc
        .record(
          { cluster: text, namespace: text, name: text, set: fc.array(text, { minLength: 1 }) },
          { requiredKeys: ['cluster', 'namespace', 'name'] },
        )
        .map((each): PageAddress => ({ view: 'cron-job', cronJob: each as never })),
      job.map((each): PageAddress => ({ view: 'job', job: each as never })),
    );
    fc.assert(fc.property(shown, (address) => expect(parsePageAddress(toSearch(address))).toEqual(address)));
    fc.assert(fc.property(shown, (address) => expect(findIgnoredParts(toSearch(address))).toEqual([])));
  });

  it.each<[string, string, PageAddress]>([
    ['no query', '', { view: 'fleet', filters: {} }],
    ['empty filters', '?cluster=&status=&text=', { view: 'fleet', filters: {} }],
    [
      'an invalid label',
      '?label=a&label=a%3Db&label=c%3Dd%3De',
      { view: 'fleet', filters: { labels: ['a=b'] } },
    ],
    ['an unknown length and grouping', '?length=year&group=age', { view: 'fleet', filters: {} }],
    ['an unknown field', '?token=x', { view: 'fleet', filters: {} }],
    ['a Job without its namespace', '?cluster=a&job=pi', { view: 'fleet', filters: { cluster: 'a' } }],
    [
      'an invalid instant',
      '?cluster=a&namespace=b&job=pi&at=soon',
      { view: 'job', job: { cluster: 'a', namespace: 'b', name: 'pi' } },
    ],
  ])('is read without its invalid part: an address with %s', (_what, search, address) => {
    expect(parsePageAddress(search)).toEqual(address);
  });

  it('has no query for the whole fleet', () => {
    expect(toSearch({ view: 'fleet', filters: { status: [] } })).toBe('');
  });
});

describe('the ignored parts of an address of the page', () => {
  it.each([
    [
      '?label=team&label=a%3Db',
      [{ name: 'label', value: 'team', expected: 'key=value, such as team=maths' }],
    ],
    [
      '?from=yesterday&before=2026-11-21',
      [{ name: 'from', value: 'yesterday', expected: 'an instant, such as 2026-11-21T03:12:00Z' }],
    ],
    ['?length=year', [{ name: 'length', value: 'year', expected: 'one of hour, day, week, month' }]],
    [
      '?columns=owner,price',
      [
        {
          name: 'columns',
          value: 'price',
          expected: 'one of cluster, progress, reason, started, duration, owner',
        },
      ],
    ],
    ['?stat=Failed&text=', [{ name: 'stat', value: 'Failed', expected: null }]],
    ['?view=clusters&label=a%3Db', [{ name: 'label', value: 'a=b', expected: null }]],
  ])('are named with the expected values: %s', (search, parts) => {
    expect(findIgnoredParts(search)).toEqual(parts);
  });
});
