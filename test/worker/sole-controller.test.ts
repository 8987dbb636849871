import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { requireSoleController } from '../../services/worker/sole-controller.ts';

const PATH = '/apis/batch/v1';
const metadata = (resourceVersion: string) => ({
  name: 'jobledger-probe-x',
  namespace: 'jobledger',
  uid: 'probe',
  resourceVersion,
});

/** A cluster without CronJobs whose watch shows these versions of the probe's status; then it is silent. */
function aCluster(statuses: readonly object[]): { client: KubernetesClient; requests: string[] } {
  const requests: string[] = [];
  const request = async ({ method, path }: ApiRequest): Promise<unknown> => {
    requests.push(`${method} ${path.replace(/\?.*$/, '')}`);
    if (method === 'GET') return { kind: 'List', metadata: { resourceVersion: '1' }, items: [] };
    return { metadata: metadata('2'), spec: {} };
  };
  async function* events({ signal }: ApiRequest): AsyncGenerator<Uint8Array> {
    for (const [at, status] of statuses.entries()) {
      const object = { metadata: metadata(String(at + 2)), spec: {}, status };
      yield new TextEncoder().encode(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    }
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  }
  const stream = async (asked: ApiRequest): Promise<unknown> =>
    Object.assign(events(asked), { destroy: () => undefined });
  return { client: { cluster: 'local', request, stream } as unknown as KubernetesClient, requests };
}

function check(client: KubernetesClient): Promise<void> {
  const signal = new AbortController().signal;
  const of = { client, namespace: 'jobledger', namespaces: [], log: silentLog(), signal };
  return requireSoleController(of, 'cronjob');
}

const LISTED = { active: [{ kind: 'Job', apiVersion: 'batch/v1', name: 'none', uid: 'none' }] };

describe('the built-in CronJob controller beside Jobledger on a cluster without CronJobs', () => {
  it('is noticed because it empties the status of the probe', async () => {
    const { client, requests } = aCluster([{}, LISTED, {}]);
    await expect(check(client)).rejects.toThrow(
      'cluster "local": with cronjob Jobledger replaces the built-in CronJob controller, but another controller is writing the status of such CronJobs (seen on jobledger/jobledger-probe-x)',
    );
    expect(requests.at(-1)).toBe(`DELETE ${PATH}/namespaces/jobledger/cronjobs/jobledger-probe-x`);
  });

  it('counts as absent when the probe retains its status', async () => {
    await expect(check(aCluster([{}, LISTED]).client)).resolves.toBeUndefined();
  }, 20_000);
});
