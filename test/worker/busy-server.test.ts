import { UnavailableError } from '../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createAttemptClient } from '../../services/worker/activities/attempt/client.ts';
import { startAttemptDeadline } from '../../services/worker/activities/attempt/deadline.ts';
import { carryOutJob, type JobProgress } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { PRECONDITIONS, podObject } from '../support/builders.ts';
import { seededRandom } from '../support/random.ts';
import { anInput, aPlayedServer, dependenciesOn, statusError, type PlayedServer } from './a-played-server.ts';

const why = { rule: 'J-5.11', message: '' } as const;
const names = (count: number): string[] => Array.from({ length: count }, (_none, at) => `pi-${at}`);
const creation = (count: number): Command => ({
  kind: 'CreatePods',
  preconditions: PRECONDITIONS,
  why,
  finalizer: OWN_FINALIZER,
  pods: names(count).map((name, ordinal) => ({ ordinal, name })),
});
const refs = (count: number) => names(count).map((name) => ({ name, uid: `uid-of-${name}` }));
const EVENTS: Command = { kind: 'EmitEvents', events: [], why };
const busy = (retryAfter?: number): Error =>
  statusError(429, 'TooManyRequests', 'try again', retryAfter === undefined ? {} : { retryAfter });

/** Attempts as Temporal makes them: each gets the heartbeat of the one before, as JSON. */
async function attempts(
  server: PlayedServer,
  commands: readonly Command[],
  isLate: () => boolean = () => false,
): Promise<{ outcomes: Outcome[]; number: number }> {
  let before: JobProgress = NO_PROGRESS;
  const report = (progress: JobProgress): void => {
    before = JSON.parse(JSON.stringify(progress)) as JobProgress;
  };
  for (let number = 1; number < 300; number += 1) {
    const attempt = { number, signal: new AbortController().signal, before, report, isLate };
    const done = await carryOutJob(dependenciesOn(server.client), anInput(commands), attempt).catch(
      () => null,
    );
    if (done !== null) return { outcomes: done.map(({ data }) => data.outcome), number };
  }
  throw new Error('it never ends');
}

describe('an API server that is too busy for some requests', () => {
  it.each([1, 2, 5, 10])(
    'receives few additional requests for 500 pods, because the worker stores its progress by pod: %d percent are refused',
    async (percent) => {
      const server = aPlayedServer();
      const random = seededRandom(percent);
      server.refuse = ({ path }) => (!path.endsWith('/events') && random() < percent / 100 ? busy() : null);
      const { outcomes } = await attempts(server, [creation(500)]);
      expect(server.pods.size).toBe(500);
      expect(outcomes).toMatchObject([{ kind: 'CreatePods' }]);
      expect(JSON.stringify(outcomes).match(/"created"/g)).toHaveLength(500);
      // One for each pod, one for each that was refused, and one to read the Job in each attempt.
      expect(server.asked.length).toBeLessThan(500 * (1 + (2.5 * percent) / 100) + 40);
      expect(server.asked.filter((each) => each.startsWith('GET pods'))).toEqual([]);
    },
  );
});

describe('an activity attempt that ends in the middle of a command', () => {
  it.each<[string, Command]>([
    ['deletion', { kind: 'DeletePods', untrack: false, pods: refs(120), why }],
    ['release', { kind: 'ReleasePods', pods: refs(120), why }],
  ])(
    'is continued by the next attempt at the pod at which it ended: a %s of 120 pods',
    async (_what, command) => {
      const server = aPlayedServer();
      for (const name of names(120)) server.pods.set(name, podObject({ name }));
      let sent = 0;
      server.refuse = ({ method, path }) => {
        if (method === 'GET' || !path.includes('/pods/')) return null;
        sent += 1;
        return sent === 70 ? new UnavailableError('away') : null;
      };
      const { outcomes, number } = await attempts(server, [command]);
      expect(number).toBe(2);
      expect(outcomes).toMatchObject([{ pods: refs(120).map((pod) => ({ ...pod, result: 'done' })) }]);
      expect(sent).toBe(121);
    },
  );
});

describe('a command for many pods that takes long', () => {
  const isLate = (): boolean => true;

  it('ends early when it creates pods: its outcome has the created pods, and the rest is skipped', async () => {
    const server = aPlayedServer();
    const { outcomes } = await attempts(server, [creation(20), EVENTS], isLate);
    expect(outcomes).toMatchObject([
      {
        kind: 'CreatePods',
        pods: names(20).map((_name, at) => ({ result: at === 0 ? 'created' : 'skipped' })),
      },
      { kind: 'skipped' },
    ]);
    expect(server.pods.size).toBe(1);
  });

  it.each<[string, Command]>([
    ['deleted', { kind: 'DeletePods', untrack: false, pods: refs(80), why }],
    ['released', { kind: 'ReleasePods', pods: refs(80), why }],
  ])(
    'ends early: its outcome has only the pods that were %s, and the later commands are skipped',
    async (_done, command) => {
      const server = aPlayedServer();
      for (const name of names(80)) server.pods.set(name, podObject({ name }));
      const { outcomes } = await attempts(server, [command, EVENTS], isLate);
      expect(outcomes).toMatchObject([{ pods: refs(50) }, { kind: 'skipped' }]);
      expect(outcomes[0]).toHaveProperty('pods.length', 50);
    },
  );

  it('does not end early when it deletes the pods of a Job that ends by the same decision, because their failures would count (J-6.5)', async () => {
    const server = aPlayedServer();
    for (const name of names(80)) server.pods.set(name, podObject({ name }));
    const at = '2026-03-01T12:00:00Z';
    const ends = {
      type: 'FailureTarget',
      status: 'True',
      lastProbeTime: at,
      lastTransitionTime: at,
    } as const;
    const { outcomes } = await attempts(
      server,
      [
        { kind: 'DeletePods', untrack: false, pods: refs(80), why },
        {
          kind: 'WriteStatus',
          from: {},
          to: { conditions: [{ ...ends, reason: 'DeadlineExceeded', message: '' }] },
          counted: { succeeded: [], failed: [] },
          resourceVersion: server.job?.metadata.resourceVersion ?? '',
          generation: 1,
          why,
        },
      ],
      isLate,
    );
    expect(outcomes).toMatchObject([{ pods: refs(80) }, { kind: 'WriteStatus' }]);
  });

  it('does not end early before its first change, because the workflow would otherwise decide it again without end', async () => {
    const server = aPlayedServer();
    server.refuse = ({ method }) => (method === 'POST' ? busy() : null);
    await expect(attempts(server, [creation(2)], isLate)).rejects.toThrow('it never ends');
  });
});

describe('a request for which the server is too busy', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A client whose server is busy for the first requests, and when each was sent, in milliseconds. */
  function anAttempt(
    refusals: readonly Error[],
    more: Partial<Parameters<typeof createAttemptClient>[1]> = {},
  ) {
    const start = Date.now();
    const sent: number[] = [];
    const inner: KubernetesClient = {
      cluster: 'east',
      stream: () => Promise.reject(new Error('nothing is watched')),
      request: <T>() => {
        const refusal = refusals[sent.length];
        sent.push(Date.now() - start);
        return refusal === undefined ? Promise.resolve({} as T) : Promise.reject<T>(refusal);
      },
    };
    const clocks = { monotonic: () => Date.now(), wall: () => Date.now() };
    const deadline = startAttemptDeadline(4000, clocks);
    const { signal } = new AbortController();
    const given = { deadline, signal, isLate: () => false, longestWait: 30_000, ...more } as const;
    return { client: createAttemptClient(inner, given), sent, deadline };
  }

  const POST = { method: 'POST', path: '/api/v1/namespaces/default/pods', body: {} } as const;

  it('is repeated after the time that the server requests, or else after a second', async () => {
    const { client, sent } = anAttempt([busy(2), busy()]);
    const answered = client.request(POST);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(answered).resolves.toEqual({});
    expect(sent).toEqual([0, 2000, 3000]);
  });

  it('is not repeated when the status 429 comes from a webhook, which refuses this object', async () => {
    const denied = statusError(429, 'TooManyRequests', 'admission webhook "w" denied the request: later');
    const { client, sent } = anAttempt([denied]);
    await expect(client.request(POST)).rejects.toBe(denied);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['when it is an Event', { ...POST, isBestEffort: true } as const, {}],
    ['when the attempt takes long already', POST, { isLate: () => true }],
    ['when a local attempt would be over by then', POST, { longestWait: 'deadline' } as const],
  ])('is not repeated %s', async (_when, request, more) => {
    const { client, sent } = anAttempt([busy(5)], more);
    await expect(client.request(request)).rejects.toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });

  it('is not repeated past the deadline of the attempt', async () => {
    const { client, sent } = anAttempt([busy(12)]);
    const answered = client.request(POST).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(12_000);
    expect(await answered).toHaveProperty('message', expect.stringContaining('had no heartbeat for'));
    expect(sent).toHaveLength(1);
  });
});
