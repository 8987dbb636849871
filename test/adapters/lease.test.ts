import { jest } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { whileLeading, type Leadership } from '../../services/adapters/kubernetes/lease.ts';
import { silentLog } from '../../services/adapters/process/log.ts';

interface Stored {
  metadata: { resourceVersion: string };
  spec: { holderIdentity: string; renewTime: string; leaseDurationSeconds?: number };
}

/** One Lease of an API server that the test plays. */
function aLease(): {
  client: KubernetesClient;
  stored: () => Stored | null;
  /** From now on requests hang until they are aborted. */
  hang(): void;
  /** The next write arrives, and its answer is lost. */
  loseAnswer(): void;
  /** Another holder takes the Lease. */
  take(holder: string): void;
  /** When the last write was stored, by `performance.now()`. */
  writtenAt: () => number;
} {
  let stored: Stored | null = null;
  let [isHanging, isAnswerLost, writtenAt, version] = [false, false, 0, 0];
  const client: KubernetesClient = {
    cluster: 'east',
    async request<R>({ method, body, signal }: ApiRequest): Promise<R> {
      if (isHanging) await givenUp(signal);
      if (method === 'GET') {
        if (stored === null) throw refused(404, 'NotFound');
        return structuredClone(stored) as R;
      }
      const written = body as Stored;
      if (stored !== null && written.metadata.resourceVersion !== stored.metadata.resourceVersion)
        throw refused(409, 'Conflict');
      version += 1;
      stored = { ...written, metadata: { ...written.metadata, resourceVersion: String(version) } };
      writtenAt = performance.now();
      if (isAnswerLost) {
        isAnswerLost = false;
        throw new Error('the connection broke');
      }
      return structuredClone(stored) as R;
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  return {
    client,
    stored: () => stored,
    hang() {
      isHanging = true;
    },
    loseAnswer() {
      isAnswerLost = true;
    },
    take(holder) {
      version += 1;
      const spec = { holderIdentity: holder, renewTime: 'now', leaseDurationSeconds: 5 };
      stored = { metadata: { resourceVersion: String(version) }, spec };
    },
    writtenAt: () => writtenAt,
  };
}

function givenUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(new Error('given up'));
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end);
  });
}

function refused(status: number, reason: string): KubernetesApiError {
  return new KubernetesApiError({ status, reason, message: reason, causes: [] });
}

/** Holds the Lease until the test ends; returns its first leadership. */
async function lead(
  client: KubernetesClient,
): Promise<{ leadership: Leadership; stop: () => Promise<void> }> {
  const given: Leadership[] = [];
  const { signal } = stopped;
  const options = {
    client,
    log: silentLog(),
    namespace: 'jobledger',
    name: 'lease',
    identity: 'ours',
    signal,
  };
  const work = async (leadership: Leadership): Promise<void> => {
    given.push(leadership);
    await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
  };
  const over = whileLeading(options, work, () => undefined);
  await jest.advanceTimersByTimeAsync(0);
  const [leadership] = given;
  if (leadership === undefined) throw new Error('it does not lead');
  return {
    leadership,
    async stop() {
      stopped.abort();
      // Hanging requests are aborted by then.
      await jest.advanceTimersByTimeAsync(3000);
      await over;
    },
  };
}

let stopped = new AbortController();

beforeEach(() => {
  stopped = new AbortController();
  jest.useFakeTimers();
});

afterEach(() => {
  stopped.abort();
  jest.useRealTimers();
});

/** After this long without a renewal, another holder takes the Lease. */
const TAKEN_AFTER_MS = 5000;

describe('a process whose requests to renew its Lease fail', () => {
  it('gives up the Lease one second before another process could take the Lease, and stops its work', async () => {
    const lease = aLease();
    const { leadership, stop } = await lead(lease.client);
    lease.hang();
    const states: [number, boolean, boolean][] = [];
    for (const ms of [3999, 4000, TAKEN_AFTER_MS]) {
      await jest.advanceTimersByTimeAsync(ms - (performance.now() - lease.writtenAt()));
      states.push([ms, leadership.isHeld(), leadership.signal.aborted]);
    }
    expect(states).toEqual([
      [3999, true, false],
      [4000, false, true],
      [TAKEN_AFTER_MS, false, true],
    ]);
    await stop();
  });

  it('keeps the Lease when the renewal arrived and only the response was lost', async () => {
    const lease = aLease();
    const { leadership, stop } = await lead(lease.client);
    lease.loseAnswer();
    await jest.advanceTimersByTimeAsync(10_000);
    expect([leadership.isHeld(), leadership.signal.aborted]).toEqual([true, false]);
    expect(lease.stored()?.spec.holderIdentity).toBe('ours');
    await stop();
    expect(lease.stored()?.spec.holderIdentity).toBe('');
  });

  it('loses the Lease as soon as another process holds the Lease', async () => {
    const lease = aLease();
    const { leadership, stop } = await lead(lease.client);
    lease.take('another');
    await jest.advanceTimersByTimeAsync(1500);
    expect(leadership.signal.aborted).toBe(true);
    await stop();
    expect(lease.stored()?.spec.holderIdentity).toBe('another');
  });
});

describe('a Lease that cannot be acquired', () => {
  it('is logged at the first attempt and at each tenth, while the API server does not answer', async () => {
    let asked = 0;
    const client: KubernetesClient = {
      cluster: 'east',
      request: () => {
        asked += 1;
        return Promise.reject(new Error('connect ECONNREFUSED'));
      },
      stream: () => Promise.reject(new Error('not played')),
    };
    const log = silentLog();
    const warn = jest.spyOn(log, 'warn');
    const numbers: number[] = [];
    const options = { client, log, namespace: 'jobledger', name: 'lease', identity: 'ours' };
    const work = (): Promise<void> => Promise.resolve();
    const over = Promise.all([
      whileLeading({ ...options, signal: stopped.signal }, work, () => undefined),
      whileLeading(
        { ...options, signal: stopped.signal, onTrouble: (_error, failures) => numbers.push(failures) },
        work,
        () => undefined,
      ),
    ]);
    await jest.advanceTimersByTimeAsync(5900);
    stopped.abort();
    await over;
    expect(asked).toBe(24);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
