import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import { readIdentity, replaceIdentity, type Identity } from '../../services/ingester/terms/identity.ts';

const KUBE_SYSTEM = '/api/v1/namespaces/kube-system';
const OURS = '/api/v1/namespaces/jobledger';
const FORMER = '/api/v1/namespaces/former';

/** A cluster with these readable namespaces; null: there is none of that name. */
function aCluster(uids: Record<string, string | null>): { client: KubernetesClient; asked: string[] } {
  const asked: string[] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    async request<R>({ path }: ApiRequest): Promise<R> {
      asked.push(path);
      if (path === '/version') return { gitVersion: 'v1.36.3' } as R;
      if (path === '/apis')
        return { groups: [{ name: 'batch', versions: [{ groupVersion: 'batch/v1' }] }] } as R;
      const uid = uids[path];
      const status = uid === null ? 404 : 403;
      if (uid === undefined || uid === null)
        throw new KubernetesApiError({
          status,
          reason: uid === null ? 'NotFound' : 'Forbidden',
          message: `no answer ${status}`,
          causes: [],
        });
      return { metadata: { uid } } as R;
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  return { client, asked };
}

const ALL: readonly string[] = [];
const GIVEN = ['team-a'];

function read(
  client: KubernetesClient,
  namespaces: readonly string[],
  known: readonly LiveRecord[],
): Promise<Identity> {
  const { signal } = new AbortController();
  return readIdentity(client, { known, namespaces, leaseNamespace: 'jobledger', log: silentLog(), signal });
}

const byKubeSystem = replaceIdentity([], 'east', { uid: 'k' });
const byOurs = replaceIdentity([], 'east', { uid: 'o', namespace: 'jobledger' });
const byFormer = replaceIdentity([], 'east', { uid: 'f', namespace: 'former' });

describe('the identification of a cluster', () => {
  const here = { [KUBE_SYSTEM]: 'k', [OURS]: 'o', [FORMER]: 'f' };

  it.each<[string, readonly string[], LiveRecord[], object, string[]]>([
    ['by kube-system', ALL, [], { uid: 'k' }, [KUBE_SYSTEM]],
    [
      'by our namespace, where only some namespaces are watched',
      GIVEN,
      [],
      { uid: 'o', namespace: 'jobledger' },
      [OURS],
    ],
    ['by our namespace, if it was so before', GIVEN, byOurs, { uid: 'o', namespace: 'jobledger' }, [OURS]],
    ['by kube-system, if it was so before', GIVEN, byKubeSystem, { uid: 'k' }, [KUBE_SYSTEM]],
    ['by kube-system after the namespace was compared', ALL, byOurs, { uid: 'k' }, [OURS, KUBE_SYSTEM]],
    [
      'by our namespace after a former one was compared',
      GIVEN,
      byFormer,
      { uid: 'o', namespace: 'jobledger' },
      [FORMER, OURS],
    ],
  ])('is made %s', async (_how, namespaces, known, identity, paths) => {
    const { client, asked } = aCluster(here);
    expect(await read(client, namespaces, known)).toEqual({
      version: 'v1.36.3',
      apis: ['batch/v1'],
      ...identity,
    });
    expect(asked).toEqual([...paths, '/version', '/apis']);
  });

  it.each([403, 404, 502])(
    'succeeds although the cluster answers %i to the request for its APIs',
    async (status) => {
      const { client } = aCluster(here);
      const partly: KubernetesClient = {
        ...client,
        request: (asked) =>
          asked.path === '/apis'
            ? Promise.reject(new KubernetesApiError({ status, reason: '', message: 'a page', causes: [] }))
            : client.request(asked),
      };
      expect(await read(partly, ALL, [])).toEqual({ uid: 'k', version: 'v1.36.3', apis: null });
    },
  );

  it.each<[string, readonly string[], LiveRecord[], Record<string, string | null>, RegExp]>([
    [
      'whose namespace has another UID',
      GIVEN,
      byOurs,
      { [OURS]: 'x' },
      /"east" is the cluster o, but this one is x/,
    ],
    [
      'whose namespace has another UID when all namespaces are watched',
      ALL,
      byOurs,
      { ...here, [OURS]: 'x' },
      /"east" is the cluster o, but this one is x/,
    ],
    [
      'that was known by kube-system, which cannot be read',
      GIVEN,
      byKubeSystem,
      { [OURS]: 'o' },
      /by the uid of its namespace kube-system, which cannot be read: no answer 403; grant our account "get" on this one Namespace, by a Role in kube-system .* or give this cluster another name/,
    ],
    [
      'whose namespace was deleted',
      GIVEN,
      byOurs,
      { [OURS]: null },
      /namespace jobledger, which cannot be read: no answer 404; give this cluster another name/,
    ],
    ['that refuses us', GIVEN, [], {}, /refuses us: no answer 403; grant our account its rights/],
  ])('fails with an error for a cluster %s', async (_which, namespaces, known, uids, message) => {
    await expect(read(aCluster(uids).client, namespaces, known)).rejects.toThrow(message);
  });
});

describe('the recorded identity of a cluster', () => {
  it('is its last identity, with the namespace that identifies it', () => {
    expect(byOurs).toEqual([
      { cluster: 'east', kind: 'identity-namespace', key: 'o', value: 'jobledger' },
      { cluster: 'east', kind: 'identity', key: 'uid', value: 'o' },
    ]);
    const later = replaceIdentity(byOurs, 'east', { uid: 'k' });
    expect(later.filter(({ kind }) => kind === 'identity')).toEqual(byKubeSystem);
  });
});

describe('an ingester that starts while its cluster does not answer', () => {
  it('reports that the cluster does not answer, and later that it answers, except for a cluster that was never connected (J-16.13)', async () => {
    const started = async (known: readonly LiveRecord[]): Promise<boolean[]> => {
      const { client } = aCluster({ [KUBE_SYSTEM]: 'k' });
      let failures = 1;
      const away: KubernetesClient = {
        ...client,
        request: (request) =>
          failures-- > 0 ? Promise.reject(new UnavailableError('no answer')) : client.request(request),
      };
      const output: boolean[] = [];
      const { signal } = new AbortController();
      await readIdentity(away, {
        known,
        namespaces: ALL,
        leaseNamespace: 'jobledger',
        log: silentLog(),
        signal,
        silence: (answers) => void output.push(answers),
      });
      return output;
    };
    expect(await started(byKubeSystem)).toEqual([false, true]);
    expect(await started([])).toEqual([]);
  });
});
