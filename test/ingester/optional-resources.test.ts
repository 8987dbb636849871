import { describe, expect, it } from '@jest/globals';
import { InputError, KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { clusterLimits } from '../../services/adapters/kubernetes/cluster-facts.ts';
import { notRecorded, readableResources } from '../../services/ingester/terms/optional-resources.ts';
import type { Part } from '../../services/shards/watch-names.ts';

const WHOLE = '/apis/batch/v1/cronjobs?limit=1';
const EVENTS = '/apis/events.k8s.io/v1/events?limit=1';
const eventsIn = (namespace: string): string =>
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events?limit=1`;
const NODES = '/api/v1/nodes?limit=1';
const inNamespace = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/cronjobs?limit=1`;
const refused = (status: number): Error =>
  new KubernetesApiError({ status, reason: '', message: `status ${status}`, causes: [] });

/** What an account may read to which the API server answers with these errors, by path. */
async function readable(
  parts: readonly Part[],
  errors: Readonly<Record<string, Error>> = {},
): Promise<{ of: Record<string, readonly string[]>; missing: readonly string[]; paths: string[] }> {
  const paths: string[] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    async request<R>({ path }: { path: string }): Promise<R> {
      paths.push(path);
      if (errors[path] !== undefined) throw errors[path];
      return { items: [] } as R;
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const found = await readableResources(client, { parts, signal: new AbortController().signal });
  const of = Object.fromEntries([...found].map(([part, resources]) => [part ?? 'all', resources]));
  return { of, missing: notRecorded({ readable: found }), paths };
}

describe('an optional resource', () => {
  it('is recorded in the whole cluster, or in a shard of it, if the account may list it there', async () => {
    const [missing, all]: [string[], string[]] = [[], ['cronjobs', 'events', 'nodes']];
    const recorded = { missing, paths: [WHOLE, EVENTS, NODES] };
    expect(await readable([undefined])).toEqual({ of: { all }, ...recorded });
    expect(await readable(['1:2'])).toEqual({ of: { '1:2': all }, ...recorded });
  });

  it.each([403, 404])('is not recorded if the API server answers %d', async (status) => {
    expect(await readable([undefined], { [WHOLE]: refused(status) })).toMatchObject({
      of: { all: ['events', 'nodes'] },
      missing: ['cronjobs'],
    });
    expect(await readable([undefined], { [EVENTS]: refused(status) })).toMatchObject({
      of: { all: ['cronjobs', 'nodes'] },
      missing: ['events'],
    });
  });

  it('is recorded in the namespaces in which the account may list it; nodes have no namespace', async () => {
    const errors = { [inNamespace('b')]: refused(403), [NODES]: refused(403) };
    expect(await readable(['a', 'b'], errors)).toEqual({
      of: { a: ['cronjobs', 'events'], b: ['events'] },
      missing: ['cronjobs', 'nodes'],
      paths: [inNamespace('a'), eventsIn('a'), NODES, inNamespace('b'), eventsIn('b')],
    });
  });

  it('is not known while the API server refuses the credentials or does not answer', async () => {
    await expect(readable([undefined], { [WHOLE]: refused(401) })).rejects.toThrow(InputError);
    await expect(readable([undefined], { [WHOLE]: new UnavailableError('down') })).rejects.toThrow(
      UnavailableError,
    );
  });

  it('is among the limits of a cluster that does not let it be read', () => {
    const cluster = { version: 'v1.37.2', apis: null };
    expect(clusterLimits({ ...cluster, not_recorded: ['cronjobs'] })).toEqual([
      { feature: 'cronjobs', message: expect.stringContaining('recordCronJobs') },
    ]);
    expect(clusterLimits({ ...cluster, not_recorded: ['events'] })).toEqual([
      { feature: 'events', message: expect.stringContaining('recordEvents') },
    ]);
    expect(clusterLimits({ ...cluster, not_recorded: [] })).toEqual([]);
  });
});
