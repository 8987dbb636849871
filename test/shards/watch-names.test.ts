import { positionToContinue, earlierWatches } from '../../services/shards/watch-names.ts';

const at = (versions: Record<string, string>): Record<string, { resourceVersion: string }> =>
  Object.fromEntries(Object.entries(versions).map(([name, resourceVersion]) => [name, { resourceVersion }]));

describe('a watch after a restart', () => {
  it.each<[string, Record<string, string>, string | undefined, string | undefined, boolean]>([
    ['nowhere when it is the first', {}, 'a', undefined, true],
    ['nowhere when only others were watched', { 'jobs.b': '9', 'pods.a': '9' }, 'a', undefined, true],
    ['where its namespace was left', { 'jobs.a': '7', 'jobs.b': '9' }, 'a', '7', true],
    ['where the whole cluster was left', { jobs: '10' }, 'a', '10', true],
    ['at the newer of the two', { jobs: '9', 'jobs.a': '10' }, 'a', '10', true],
    ['at the newer one, also when that is of the cluster', { jobs: '11', 'jobs.a': '10' }, 'a', '11', true],
    [
      'where the whole cluster was left, whatever namespaces saw',
      { jobs: '9', 'jobs.a': '10' },
      undefined,
      '9',
      true,
    ],
    [
      'at the oldest namespace, with a list, when that is all',
      { 'jobs.a': '10', 'jobs.b': '9' },
      undefined,
      '9',
      false,
    ],
    ['nowhere in a new cluster', {}, undefined, undefined, true],
    ['where its shard was left', { 'jobs.2:4': '7', 'jobs.1:4': '9' }, '2:4', '7', true],
    ['where the whole cluster was left, as a shard', { jobs: '10' }, '2:4', '10', true],
    ['at its own version, when that is newer', { jobs: '9', 'jobs.2:4': '10' }, '2:4', '10', true],
    [
      'at the oldest of all shards, as the whole cluster',
      { jobs: '5', 'jobs.1:2': '8', 'jobs.2:2': '7' },
      undefined,
      '7',
      true,
    ],
    [
      'at the oldest of the shards that had its namespaces, as one of fewer',
      { 'jobs.1:4': '5', 'jobs.2:4': '8', 'jobs.3:4': '9', 'jobs.4:4': '7' },
      '2:2',
      '7',
      true,
    ],
    [
      'where the shard was left that had them all, as one of more',
      { 'jobs.1:2': '5', 'jobs.2:2': '8' },
      '4:4',
      '8',
      true,
    ],
    [
      'at the oldest of all shards that may have some, as one of three of two',
      { 'jobs.1:2': '5', 'jobs.2:2': '8' },
      '3:3',
      '5',
      true,
    ],
    ['with a list, when one of those shards never was', { 'jobs.2:4': '8' }, '2:2', '8', false],
    ['nowhere, when only other shards were', { 'jobs.1:4': '8', 'jobs.3:4': '8' }, '2:2', undefined, true],
    [
      'with a list, when only namespaces of it were',
      { 'jobs.a': '8', 'jobs.b': '8', 'jobs.c': '8', 'jobs.d': '8' },
      '1:2',
      '8',
      false,
    ],
  ])(
    'continues at a recorded version or begins with a list: %s',
    (_what, positions, namespace, version, isComplete) => {
      const found = positionToContinue(at(positions), 'jobs', namespace);
      expect({ version: found.position?.resourceVersion, isComplete: found.isComplete }).toEqual({
        version,
        isComplete,
      });
    },
  );
});

describe('the last watches of a namespace or a cluster', () => {
  it.each<[string, Record<string, string>, string | undefined, string[]]>([
    ['empty at first', {}, 'a', []],
    ['the watch of the namespace', { jobs: '9', 'jobs.a': '10' }, 'a', ['jobs.a']],
    ['the watch of the cluster', { jobs: '10', 'jobs.a': '9' }, 'a', ['jobs']],
    [
      'the watch of the cluster, and of namespaces beyond it',
      { jobs: '9', 'jobs.a': '10', 'jobs.b': '8' },
      undefined,
      ['jobs', 'jobs.a'],
    ],
    [
      'watches of namespaces only',
      { 'jobs.a': '10', 'jobs.b': '8', 'pods.c': '9' },
      undefined,
      ['jobs.a', 'jobs.b'],
    ],
    ['the watch of the shard', { jobs: '9', 'jobs.2:2': '10' }, '2:2', ['jobs.2:2']],
    [
      'the watches of all shards',
      { jobs: '9', 'jobs.1:2': '10', 'jobs.2:2': '11' },
      undefined,
      ['jobs.1:2', 'jobs.2:2'],
    ],
  ])('are the watches with the newest versions: %s', (_what, positions, namespace, names) => {
    expect(earlierWatches(at(positions), 'jobs', namespace)).toEqual(names);
  });
});
