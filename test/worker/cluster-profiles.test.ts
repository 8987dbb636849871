import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import {
  createClusterProfiles,
  type ClusterProfile,
  type ProfileRef,
} from '../../services/worker/placement/clusters/cluster-profiles.ts';
import { eventually } from '../support/eventually.ts';
import { statusError } from './a-played-server.ts';

const WEST: ProfileRef = { cluster: 'hub', namespace: 'fleet', name: 'west' };

function aProfile(name: string, region: string): ClusterProfile & { metadata: { resourceVersion: string } } {
  return {
    metadata: { name, uid: name, resourceVersion: '1', labels: { region, tier: 'label' } },
    status: { properties: [{ name: 'tier', value: 'property' }] },
  };
}

describe('the labels of a cluster from its ClusterProfile (J-16.4)', () => {
  const ended = new AbortController();
  afterAll(() => ended.abort());

  /** A hub whose answer to a list is given. `asked`: the paths. */
  function createProfiles(list: () => Promise<object>, asked: string[] = []) {
    const watched = new PassThrough();
    const hub: KubernetesClient = {
      cluster: 'hub',
      stream: () => Promise.resolve(watched),
      request: async <T>({ path }: ApiRequest) => {
        asked.push(path.split('?')[0] ?? '');
        return (await list()) as T;
      },
    };
    const findClient = (cluster: string): KubernetesClient | null => (cluster === 'hub' ? hub : null);
    return { watched, profiles: createClusterProfiles({ findClient: findClient, signal: ended.signal }) };
  }
  const items = [aProfile('east', 'us'), aProfile('west', 'eu')];
  const answer = () => Promise.resolve({ metadata: { resourceVersion: '1' }, items });

  it('are the labels and properties of the profile, where properties take precedence, and follow its changes', async () => {
    const asked: string[] = [];
    const { profiles, watched } = createProfiles(answer, asked);
    profiles.watch(WEST);
    expect(await profiles.readLabels(WEST)).toEqual({ labels: { region: 'eu', tier: 'property' } });
    expect(await profiles.readLabels({ ...WEST, name: 'east' })).toMatchObject({ labels: { region: 'us' } });
    // One list and one watch for all profiles of a namespace.
    expect(asked).toEqual(['/apis/multicluster.x-k8s.io/v1alpha1/namespaces/fleet/clusterprofiles']);
    watched.write(`${JSON.stringify({ type: 'MODIFIED', object: aProfile('west', 'asia') })}\n`);
    await eventually('the change is seen', 5, async () => {
      const read = await profiles.readLabels(WEST);
      return 'labels' in read && read.labels['region'] === 'asia' ? true : undefined;
    });
  });

  it.each([
    ['it does not exist', { ...WEST, name: 'south' }, answer, 'does not exist'],
    ['the hub is out of reach', { ...WEST, cluster: 'other' }, answer, 'this worker has no access'],
    ['it may not be read', WEST, () => Promise.reject(statusError(403, 'Forbidden')), 'may not be read'],
    [
      'the hub has no such kind',
      WEST,
      () => Promise.reject(statusError(404, 'NotFound')),
      'could not be read',
    ],
  ])('are not known when %s', async (_, profile, list, message) => {
    const { profiles } = createProfiles(list);
    expect(await profiles.readLabels(profile)).toEqual({ unknown: expect.stringContaining(message) });
  });
});
