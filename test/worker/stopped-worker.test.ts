import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createActivities } from '../../services/worker/activities/port.ts';
import type { Command } from '../../workflows/job/commands.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { PRECONDITIONS } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn } from './a-played-server.ts';

const creation: Command = {
  kind: 'CreatePods',
  preconditions: PRECONDITIONS,
  why: { rule: 'J-5.11', message: '' },
  finalizer: OWN_FINALIZER,
  pods: [{ ordinal: 0, name: 'pi-x' }],
};

/** Carries a creation out as an activity of Temporal, whose process stops for `ms` after it has read the Job. */
async function carriedOut(isLocal: boolean, ms: number): Promise<{ asked: string[]; error: unknown }> {
  const server = aPlayedServer();
  const client: KubernetesClient = {
    ...server.client,
    async request<T>(request: ApiRequest) {
      const answer = await server.client.request<T>(request);
      if (request.method === 'GET') jest.setSystemTime(Date.now() + ms);
      return answer;
    },
  };
  const unused = (): never => {
    throw new Error('not used');
  };
  const { carryOut } = createActivities({
    ...dependenciesOn(client),
    readStart: unused,
    watched: unused,
    memberClient: unused,
    requireKnownCluster: unused,
    getEpoch: () => 0,
    noticedChains: new Set(),
    readCandidates: unused,
    countRules: unused,
    onCreated: unused,
    onFault: unused,
    keepFault: unused,
    snapshots: { count: () => undefined },
  });
  const context = {
    info: { isLocal, attempt: 1, startToCloseTimeoutMs: isLocal ? 4000 : 600_000, heartbeatTimeoutMs: 4000 },
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
  } as unknown as Context;
  const error: unknown = await asyncLocalStorage.run(context, () =>
    carryOut(anInput([creation])).then(
      () => null,
      (thrown: unknown) => thrown,
    ),
  );
  return { asked: server.asked, error };
}

describe('a worker that is suspended between two requests of an attempt', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['an ordinary activity', false],
    ['a local activity', true],
  ])('creates no pod when it continues after 12 s: %s', async (_kind, isLocal) => {
    const { asked, error } = await carriedOut(isLocal, 12_000);
    expect(asked).toEqual(['GET jobs/pi']);
    expect(error).toHaveProperty(
      'message',
      expect.stringContaining('this attempt sends no further requests'),
    );
  });

  it.each([
    ['an ordinary activity', false],
    ['a local activity', true],
  ])('creates the pod when it continues after 2 s: %s', async (_kind, isLocal) => {
    const { asked, error } = await carriedOut(isLocal, 2000);
    expect(error).toBeNull();
    expect(asked).toEqual(['GET jobs/pi', 'POST pods']);
  });
});
