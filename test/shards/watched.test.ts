import { describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { leasePath } from '../../services/adapters/kubernetes/lease.ts';
import { leaseName } from '../../services/shards/lease-name.ts';
import { namespaceShard } from '../../services/shards/shards.ts';
import { watchedAnnotations, watchedVersion, type WatchedVersion } from '../../services/shards/watched.ts';

const INSTALLATION = '0a1b2c3d4e';

/** What the worker reads of Leases with these annotations, by the index of their shard. */
function read(
  annotations: Record<string, string> | undefined,
  namespace: string,
  ofShards: Readonly<Record<number, Record<string, string>>> = {},
): Promise<WatchedVersion | null> {
  const leases = new Map([
    [shardLeasePath(1), annotations],
    ...Object.entries(ofShards).map(([index, each]) => [shardLeasePath(Number(index)), each] as const),
  ]);
  const client: KubernetesClient = {
    cluster: 'east',
    request: <T>({ path }: { path: string }) => {
      const found = leases.get(path);
      return Promise.resolve({ metadata: { ...(found !== undefined && { annotations: found }) } } as T);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const { signal } = new AbortController();
  const of = { namespace: 'jobledger', installation: INSTALLATION };
  return watchedVersion(client, of, { resource: 'jobs', namespace }, signal);
}

function shardLeasePath(index: number): string {
  return leasePath('jobledger', leaseName('east', INSTALLATION, index));
}

describe('the watch progress that a reader finds in the Lease of the ingester', () => {
  it('is the version of the watch of the whole cluster, or of the namespace', async () => {
    const whole = watchedAnnotations(new Map([['jobs', '120']]));
    expect(await read(whole, 'team-a')).toEqual({ resourceVersion: '120' });
    const given = watchedAnnotations(
      new Map([
        ['jobs.team-a', '99'],
        ['jobs.team-b', '200'],
        ['pods.team-a', '300'],
      ]),
    );
    expect(await read(given, 'team-a')).toEqual({ resourceVersion: '99' });
    expect(await read(given, 'team-c')).toBeNull();
  });

  it('is the version of the shard that has the namespace, from the Lease of that shard', async () => {
    const [inFirst = '', inSecond = ''] = [1, 2].map((index) =>
      ['a', 'b', 'c', 'd', 'e', 'f'].find((name) => namespaceShard(name, 2) === index),
    );
    const of = (index: number, version: string): Record<string, string> =>
      watchedAnnotations(new Map([[`jobs.${index}:2`, version]]), { shards: 2 });
    expect(await read(of(1, '70'), inFirst, { 2: of(2, '80') })).toEqual({ resourceVersion: '70' });
    expect(await read(of(1, '70'), inSecond, { 2: of(2, '80') })).toEqual({ resourceVersion: '80' });
    // Before the second one has led with this number of shards.
    expect(await read(of(1, '70'), inSecond, { 2: {} })).toBeNull();
  });

  it('includes the epoch of the versions', async () => {
    expect(await read(watchedAnnotations(new Map([['jobs', '5']]), { epoch: 1 }), 'a')).toEqual({
      resourceVersion: '5',
      epoch: 1,
    });
  });

  it('is unknown from a Lease without the annotation, or with an invalid annotation', async () => {
    expect(await read(undefined, 'a')).toBeNull();
    expect(await read({ 'jobledger.dev/watched': 'yes' }, 'a')).toBeNull();
  });
});
