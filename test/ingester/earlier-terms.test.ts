import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import {
  readEarlierTerms,
  settingRecord,
  type EarlierTerms,
} from '../../services/ingester/terms/earlier-terms.ts';
import { positionRecord } from '../../services/live-topic/watches.ts';
import { CLUSTER } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';

const SCOPE = {
  cluster: CLUSTER,
  claim: 'managed' as const,
  redaction: REDACTION,
  cronJobs: true,
};
const RESOURCES = ['jobs', 'pods', 'cronjobs'];

/** What an ingester leaves that has watched a namespace (undefined: all) up to a version. */
function watched(namespace: string | undefined, version: string, claim = 'managed'): LiveRecord[] {
  const end = namespace === undefined ? '' : `.${namespace}`;
  const value = { resourceVersion: version, time: '2026-03-01T12:00:00Z' };
  return [
    ...RESOURCES.map((resource) => positionRecord(CLUSTER, `${resource}${end}`, value)),
    settingRecord(CLUSTER, 'pods', namespace, claim),
    settingRecord(CLUSTER, 'cronjobs', namespace, true),
    settingRecord(CLUSTER, 'chains', namespace, claim),
  ];
}

/** The last record of each key, as a reader of the compacted topic has them. */
function latest(records: readonly LiveRecord[]): LiveRecord[] {
  return [...new Map(records.map((record) => [`${record.kind}/${record.key}`, record])).values()];
}

function summary(terms: EarlierTerms): object {
  const { positions, isOtherClaim, news } = terms;
  return {
    from: positions.jobs?.resourceVersion,
    isWider: terms.isWider('pods'),
    areNew: isOtherClaim || news.length > 0,
  };
}

describe('the recorded watch positions of an earlier ingester', () => {
  it.each<[string, LiveRecord[], string | undefined, object]>([
    ['nothing', [], 'a', { from: undefined, isWider: false, areNew: true }],
    ['the same namespace', watched('a', '7'), 'a', { from: '7', isWider: false, areNew: false }],
    ['another namespace only', watched('b', '7'), 'a', { from: undefined, isWider: false, areNew: true }],
    ['the whole cluster', watched(undefined, '7'), 'a', { from: '7', isWider: false, areNew: false }],
    [
      'the whole cluster under another claim, before the namespace',
      [...watched(undefined, '7', 'all'), ...watched('a', '8')],
      'a',
      { from: '8', isWider: false, areNew: false },
    ],
    [
      'the whole cluster under another claim, after the namespace',
      [...watched(undefined, '9', 'all'), ...watched('a', '8')],
      'a',
      { from: '9', isWider: false, areNew: true },
    ],
    [
      'the whole cluster, and later a namespace',
      [...watched(undefined, '7'), ...watched('a', '8')],
      undefined,
      { from: '7', isWider: false, areNew: false },
    ],
    [
      'the whole cluster, and later a namespace under another claim',
      [...watched(undefined, '7'), ...watched('a', '8', 'all')],
      undefined,
      { from: '7', isWider: false, areNew: true },
    ],
    [
      'two namespaces, when the whole cluster is watched from now on',
      [...watched('a', '8'), ...watched('b', '7')],
      undefined,
      { from: '7', isWider: true, areNew: false },
    ],
    [
      'the namespace in another cluster',
      watched('a', '8').map((record) => ({ ...record, cluster: 'west' })),
      'a',
      { from: undefined, isWider: false, areNew: true },
    ],
  ])('decide where the next watch begins after a watch of %s', (_what, records, namespace, expected) => {
    expect(summary(readEarlierTerms(SCOPE, records, namespace))).toEqual(expected);
  });

  it('are copied to a namespace of a cluster that was watched as a whole', () => {
    const { copies } = readEarlierTerms(SCOPE, watched(undefined, '7'), 'a');
    expect(copies).toEqual([
      { cluster: CLUSTER, kind: 'claim', key: 'pods.a', value: 'managed' },
      { cluster: CLUSTER, kind: 'claim', key: 'cronjobs.a', value: true },
      { cluster: CLUSTER, kind: 'claim', key: 'chains.a', value: 'managed' },
    ]);
    expect(readEarlierTerms(SCOPE, watched('a', '7'), 'a').copies).toEqual([]);
  });

  it('lead to a new list of CronJobs after an ingester that did not record CronJobs', () => {
    const without = { ...SCOPE, cronJobs: false };
    const before = watched('a', '7');
    expect(readEarlierTerms(SCOPE, before, 'a').news).toEqual([]);
    const { dropped } = readEarlierTerms(without, before, 'a');
    expect(dropped).toEqual([settingRecord(CLUSTER, 'cronjobs', 'a', null)]);
    const after = latest([...before, ...dropped]);
    expect(readEarlierTerms(without, after, 'a').dropped).toEqual([]);
    expect(readEarlierTerms(SCOPE, after, 'a').news).toEqual(['CronJobs']);
  });
});
