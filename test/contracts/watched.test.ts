import { describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { watchedAnnotations, watchedVersion, type WatchedVersion } from '../../services/contracts/watched.ts';

/** What the worker reads of a Lease with these annotations. */
function read(
  annotations: Record<string, string> | undefined,
  namespace: string,
): Promise<WatchedVersion | null> {
  const client: KubernetesClient = {
    cluster: 'east',
    request: <T>() =>
      Promise.resolve({ metadata: { ...(annotations !== undefined && { annotations }) } } as T),
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const { signal } = new AbortController();
  return watchedVersion(
    client,
    { namespace: 'jobledger', name: 'lease' },
    { resource: 'jobs', namespace },
    signal,
  );
}

describe('how far the watches are, as the Lease of the ingester says', () => {
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

  it('has the epoch of the versions', async () => {
    expect(await read(watchedAnnotations(new Map([['jobs', '5']]), 1), 'a')).toEqual({
      resourceVersion: '5',
      epoch: 1,
    });
  });

  it('is not known from an ingester of an earlier version, or from something else', async () => {
    expect(await read(undefined, 'a')).toBeNull();
    expect(await read({ 'jobledger.dev/watched': 'yes' }, 'a')).toBeNull();
  });
});
