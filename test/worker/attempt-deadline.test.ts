import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { createAttemptClient } from '../../services/worker/activities/attempt/client.ts';
import { startAttemptDeadline } from '../../services/worker/activities/attempt/deadline.ts';

/** An attempt whose heartbeats are on time until `sleep`, and the requests that its process sends. */
function anAttempt(lengthMs = 3000) {
  const clock = { monotonic: 1_000, wall: 1_700_000_000_000 };
  const deadline = startAttemptDeadline(lengthMs, {
    monotonic: () => clock.monotonic,
    wall: () => clock.wall,
  });
  const sent: string[] = [];
  const waits: (() => void)[] = [];
  const inner: KubernetesClient = {
    cluster: 'east',
    stream: () => Promise.reject(new Error('nothing is watched')),
    async request<T>({ method, beforeSending }: ApiRequest) {
      // As for a token of the rate limit, or for credentials.
      for (const wait of waits) wait();
      beforeSending?.();
      sent.push(method);
      return Promise.resolve({} as T);
    },
  };
  const { signal } = new AbortController();
  const attempt = { deadline, signal, isLate: () => false, longestWait: 30_000 } as const;
  const client = createAttemptClient(inner, attempt);
  const pass = (monotonic: number, wall = monotonic): void => {
    clock.monotonic += monotonic;
    clock.wall += wall;
  };
  const send = (method: ApiRequest['method']): Promise<unknown> =>
    client.request({ method, path: '/api/v1/namespaces/default/pods/pi-x' });
  return { deadline, sent, waits, pass, send };
}

const CHANGES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('a worker process that is suspended during an attempt', () => {
  it.each<[string, number, number]>([
    ['stopped for 12 s', 12_000, 12_000],
    ['in a virtual machine that was paused: its monotonic clock stood still', 0, 12_000],
    ['stopped, and its wall clock was set back', 12_000, -60_000],
  ])('sends no further change to the API server: %s', async (_how, monotonic, wall) => {
    for (const method of CHANGES) {
      const { sent, pass, send } = anAttempt();
      await send(method);
      pass(monotonic, wall);
      await expect(send(method)).rejects.toThrow('had no heartbeat for 3000 ms');
      await send('GET');
      expect(sent).toEqual([method, 'GET']);
    }
  });

  it('does not send a request that waited when the process was suspended', async () => {
    const { sent, waits, pass, send } = anAttempt();
    waits.push(() => pass(12_000));
    await expect(send('POST')).rejects.toThrow('this attempt sends no further requests');
    expect(sent).toEqual([]);
  });

  it('sends no further request after a heartbeat that arrives late', async () => {
    const { deadline, sent, pass, send } = anAttempt();
    pass(12_000);
    deadline.renew();
    await expect(send('POST')).rejects.toThrow('another worker may have continued');
    expect(sent).toEqual([]);
  });

  it('fails the attempt with an error after which Temporal repeats the attempt', async () => {
    const { pass, send } = anAttempt();
    pass(12_000);
    await expect(send('POST')).rejects.toMatchObject({ retryable: true });
  });
});

describe('an attempt of an activity', () => {
  it('may send requests for ten minutes while its heartbeats are on time', async () => {
    const { deadline, sent, pass, send } = anAttempt();
    for (let second = 0; second < 600; second += 1) {
      pass(1000);
      deadline.renew();
    }
    await send('POST');
    expect(sent).toEqual(['POST']);
  });

  it('sends no request later than 4 s after its begin when it has no heartbeats, as in a local activity', async () => {
    const { sent, pass, send } = anAttempt(4000);
    pass(4000);
    await send('POST');
    pass(1);
    await expect(send('POST')).rejects.toThrow('had no heartbeat for');
    expect(sent).toEqual(['POST']);
  });
});
