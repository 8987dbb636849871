import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import {
  clusterFacts,
  clusterLimits,
  type ClusterFacts,
} from '../../services/adapters/kubernetes/cluster-facts.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { followFacts } from '../../services/ingester/terms/follow-facts.ts';

const BEFORE = { version: 'v1.36.3', apis: ['batch/v1'] };

/** What is recorded of a cluster that answers so, one look after the other. */
async function recordFacts(answers: readonly (string | Error)[], failures = 0): Promise<ClusterFacts[]> {
  const stop = new AbortController();
  const recorded: ClusterFacts[] = [];
  let looks = 0;
  let attempts = 0;
  const client: KubernetesClient = {
    cluster: 'east',
    async request<R>({ path }: { path: string }): Promise<R> {
      if (path === '/apis')
        return { groups: [{ name: 'batch', versions: [{ groupVersion: 'batch/v1' }] }] } as R;
      const answer = answers[looks];
      looks += 1;
      if (looks === answers.length) stop.abort();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no more answers');
      return { gitVersion: answer } as R;
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const onChange = async (facts: ClusterFacts): Promise<void> => {
    attempts += 1;
    if (attempts <= failures) throw new Error('the ledger is away');
    recorded.push(facts);
  };
  const failed = { log: silentLog(), message: '', cluster: client.cluster };
  const { signal } = stop;
  await followFacts(() => clusterFacts(client, signal), BEFORE, { onChange, failed, signal, pollMs: 1 });
  return recorded;
}

const NEW = { ...BEFORE, version: 'v1.37.2' };

describe('a change of the version or of the APIs of a cluster', () => {
  it.each<[string, (string | Error)[], ClusterFacts[]]>([
    ['no change', ['v1.36.3', 'v1.36.3', 'v1.36.3'], []],
    ['an upgrade', ['v1.36.3', 'v1.37.2', 'v1.37.2', 'v1.37.2'], [NEW]],
    ['an upgrade of one of several API servers', ['v1.37.2', 'v1.36.3', 'v1.37.2', 'v1.36.3'], []],
    ['an upgrade with an outage', ['v1.37.2', new UnavailableError('down'), 'v1.37.2', 'v1.37.2'], [NEW]],
    ['an upgrade and the way back', ['v1.37.2', 'v1.37.2', 'v1.36.3', 'v1.36.3'], [NEW, BEFORE]],
  ])('is recorded only when two answers in a row show it: %s', async (_case, answers, expected) => {
    expect(await recordFacts(answers)).toEqual(expected);
  });

  it('is recorded later when Kafka is unavailable', async () => {
    expect(await recordFacts(['v1.37.2', 'v1.37.2', 'v1.37.2', 'v1.37.2'], 1)).toEqual([NEW]);
  });
});

describe('the limits of a cluster', () => {
  const [old, later] = ['scheduling.k8s.io/v1alpha2', 'scheduling.k8s.io/v1beta1'];

  it.each<[string | null, string[] | null, string[]]>([
    ['v1.37.2', [later], []],
    ['v1.36.3', [old], []],
    ['v1.36.3', ['batch/v1'], ['gangs']],
    ['v1.35.4-gke.100', null, ['policy']],
    ['v1.31.0', [], ['managedBy', 'policy', 'gangs']],
    [null, null, []],
    ['unknown', null, []],
  ])('depend on its version and its APIs: %s with %j has the limits %j', (version, apis, features) => {
    expect(clusterLimits({ version, apis }).map(({ feature }) => feature)).toEqual(features);
  });
});
