import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { leasePath } from '../../services/adapters/kubernetes/lease.ts';
import { leaseName } from '../../services/shards/lease-name.ts';
import type { Shard } from '../../services/shards/shards.ts';
import { watchedAnnotations } from '../../services/shards/watched.ts';
import { findOtherShards } from '../../services/ingester/terms/other-shards.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A holder that renews its Lease (`lives`), or was killed. `shards` absent: its Lease has no annotation yet. */
interface Held {
  index: number;
  shards?: number;
  holder: string;
  lives?: boolean;
}

/** The answer to an ingester of a shard that has just acquired its own Lease. */
async function found(shard: Shard, all: readonly Held[]): Promise<string | null> {
  let reads = 0;
  const leases = new Map(
    all.map(({ index, shards, holder, lives }) => [
      leasePath('jobledger', leaseName('east', 'id', index)),
      () => ({
        metadata: {
          ...(shards !== undefined && { annotations: watchedAnnotations(new Map(), { shards }) }),
        },
        spec: {
          holderIdentity: holder,
          leaseDurationSeconds: 5,
          renewTime: lives === true ? String(reads) : '',
        },
      }),
    ]),
  );
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>({ path }: ApiRequest) {
      reads += 1;
      const lease = leases.get(path);
      return lease === undefined ? Promise.reject(absent()) : Promise.resolve(lease() as R);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const { signal } = new AbortController();
  const answer = findOtherShards(client, { shard, leaseNamespace: 'jobledger', installation: 'id', signal });
  await jest.advanceTimersByTimeAsync(6000);
  return answer;
}

function absent(): KubernetesApiError {
  const object = { kind: 'leases', group: 'coordination.k8s.io', name: 'any' };
  return new KubernetesApiError({
    status: 404,
    reason: 'NotFound',
    message: 'not found',
    causes: [],
    details: object,
    object: { resource: 'leases', group: 'coordination.k8s.io', name: 'any' },
  });
}

const own: Held = { index: 2, shards: 4, holder: 'own', lives: true };
const of = { index: 2, of: 4 };

describe('an ingester of a shard', () => {
  it.each<[string, Held[]]>([
    ['when it is the first', [own]],
    [
      'beside an ingester with the same number of shards',
      [own, { index: 1, shards: 4, holder: 'first', lives: true }],
    ],
    [
      'after the ingesters with another number of shards have stopped',
      [own, { index: 1, shards: 2, holder: '' }],
    ],
    [
      'when a killed ingester with another number of shards is known to be dead',
      [own, { index: 1, shards: 2, holder: 'killed' }],
    ],
  ])('begins its work: %s', async (_when, leases) => {
    expect(await found(of, leases)).toBeNull();
  });

  it.each<[string, Held[], RegExp]>([
    [
      'an ingester with another number of shards',
      [own, { index: 1, shards: 2, holder: 'first-of-2', lives: true }],
      /^first-of-2 holds the Lease .*, for a cluster divided into 2 shards$/,
    ],
    [
      'an ingester with more shards, whatever its index',
      [own, { index: 16, shards: 16, holder: 'last-of-16', lives: true }],
      /^last-of-16/,
    ],
    [
      'an ingester of the whole cluster, also while its Lease has no annotation yet',
      [own, { index: 1, holder: 'alone', lives: true }],
      /^alone .*, for a cluster divided into 1 shard$/,
    ],
    [
      'a detachment of the cluster',
      [own, { index: 1, shards: 0, holder: 'jobledger-release', lives: true }],
      /^jobledger-release/,
    ],
  ])('does not begin its work beside %s', async (_what, leases, message) => {
    expect(await found(of, leases)).toMatch(message);
  });

  it('does not begin its work as the single ingester beside other shards', async () => {
    const alone: Held = { index: 1, shards: 1, holder: 'own', lives: true };
    const third: Held = { index: 3, shards: 3, holder: 'third-of-3', lives: true };
    expect(await found({ index: 1, of: 1 }, [alone, third])).toMatch(/^third-of-3/);
  });
});
