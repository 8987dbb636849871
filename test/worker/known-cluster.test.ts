import { describe, expect, it, jest } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { identityRecords, KUBE_SYSTEM } from '../../services/live-topic/cluster-identity.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import type { PlacementContext } from '../../services/worker/placement/commands/context.ts';
import { changeMember, lookUpMember } from '../../services/worker/placement/commands/members.ts';
import { createRequireKnownCluster } from '../../services/worker/placement/commands/known-cluster.ts';
import { jobObject } from '../support/builders.ts';

const why = { rule: 'J-16.10', message: '' } as const;
const MEMBER = { cluster: 'west', name: 'pi', uid: 'uid-of-the-member', grant: 1 };

function refusal(status: number): KubernetesApiError {
  const reason = status === 404 ? 'NotFound' : 'Forbidden';
  return new KubernetesApiError({ status, reason, message: '', causes: [] });
}

/** The cluster west with this uid of kube-system, or this answer for it; it has no Jobs and no pods. */
function west(uid: string | number): { client: KubernetesClient; asked: string[] } {
  const asked: string[] = [];
  const client: KubernetesClient = {
    cluster: 'west',
    async request<R>({ method, path }: ApiRequest): Promise<R> {
      asked.push(`${method} ${path}`);
      if (path === `/api/v1/namespaces/${KUBE_SYSTEM}`) {
        if (typeof uid === 'number') throw refusal(uid);
        return { metadata: { uid } } as R;
      }
      if (path.includes('/jobs/')) throw refusal(404);
      return { metadata: { resourceVersion: '7' }, items: [] } as R;
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  return { client, asked };
}

/** A worker's context, whose ledger has these identities, one list for each time that they are read. */
function createContext(client: KubernetesClient, ...reads: (readonly LiveRecord[])[]) {
  let read = 0;
  const requireKnownCluster = createRequireKnownCluster({
    readIdentities: () => Promise.resolve(reads[Math.min(read++, reads.length - 1)] ?? []),
    log: silentLog(),
  });
  const context = {
    job: { cluster: 'east', namespace: 'team', name: 'pi', uid: 'uid-at-home' },
    memberClient: () => client,
    requireKnownCluster,
    getEpoch: () => 0,
    signal: new AbortController().signal,
  } as unknown as PlacementContext;
  return { context, reads: () => read };
}

const ours = identityRecords('west', { uid: 'ours' });

const from = { resourceVersion: '1', generation: 1 };

describe('the answer of a cluster that it does not have a member', () => {
  it('proves that the member is missing when it comes from the cluster of the member', async () => {
    const { context } = createContext(west('ours').client, ours);
    const found = await lookUpMember(context, { kind: 'LookUpMember', ...MEMBER, why });
    expect(found).toEqual({
      kind: 'LookUpMember',
      result: 'done',
      member: null,
      pods: { open: 0 },
      listedAt: '7',
    });
    const spec = { suspend: true };
    expect(await changeMember(context, { kind: 'ChangeMember', ...MEMBER, from, spec, why })).toEqual({
      kind: 'ChangeMember',
      result: 'gone',
    });
  });

  it.each(['another', 404])(
    'proves nothing when another cluster has the address, which gets no request about the member: %s',
    async (uid) => {
      const other = west(uid);
      const { context } = createContext(other.client, ours);
      const message = expect.stringContaining('in the ledger, "west" is the cluster ours, but this one is');
      const found = await lookUpMember(context, { kind: 'LookUpMember', ...MEMBER, why });
      expect(found).toEqual({ kind: 'LookUpMember', result: 'unanswered', message });
      const spec = { suspend: true };
      expect(await changeMember(context, { kind: 'ChangeMember', ...MEMBER, from, spec, why })).toEqual({
        kind: 'ChangeMember',
        result: 'unanswered',
        message,
      });
      expect(new Set(other.asked)).toEqual(new Set([`GET /api/v1/namespaces/${KUBE_SYSTEM}`]));
    },
  );

  it('counts once the ledger, which is read again after 10 s, has this cluster under the name', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const earlier = identityRecords('west', { uid: 'earlier' });
    const { context, reads } = createContext(west('ours').client, earlier, ours);
    const look = () => lookUpMember(context, { kind: 'LookUpMember', ...MEMBER, why });
    expect([await look(), await look()]).toMatchObject([{ result: 'unanswered' }, { result: 'unanswered' }]);
    expect(reads()).toBe(1);
    jest.advanceTimersByTime(10_000);
    expect(await look()).toMatchObject({ result: 'done' });
    jest.useRealTimers();
  });

  it('counts also for a worker that may not read the UID of the cluster', async () => {
    const { context } = createContext(west(403).client, ours);
    expect(await lookUpMember(context, { kind: 'LookUpMember', ...MEMBER, why })).toMatchObject({
      result: 'done',
    });
  });
});

describe('a Job with the name of a member whose UID is not known', () => {
  const marks = {
    'jobledger.dev/placed-for': 'east/team/pi/uid-at-home',
    'jobledger.dev/grant': 'the decision',
  };

  it.each([
    ['is the member with both marks of the member', marks, 'found'],
    ['is not the member with the mark of the grant alone', { 'jobledger.dev/grant': 'the decision' }, null],
    [
      'is not the member with another home',
      { ...marks, 'jobledger.dev/placed-for': 'east/team/pi/another-uid' },
      null,
    ],
  ])('is compared by its annotations: the Job %s', async (_words, annotations, uid) => {
    const { client } = west('ours');
    const played: KubernetesClient = {
      ...client,
      request: async <R>(asked: ApiRequest) =>
        asked.path.includes('/jobs/')
          ? (jobObject({ name: 'pi', uid: 'found', annotations }) as R)
          : client.request<R>(asked),
    };
    const { context } = createContext(played, ours);
    const { uid: _unknown, ...member } = MEMBER;
    const found = await lookUpMember(context, {
      kind: 'LookUpMember',
      ...member,
      mark: 'the decision',
      why,
    });
    expect(found).toMatchObject({ member: uid === null ? null : { uid } });
  });
});
