import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { sayNotPlaced } from '../../services/worker/placement/say-not-placed.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A worker with tables that hold these placed Jobs; `told`: the names of those that got an Event, with its words. */
function aWorker(jobs: readonly string[]) {
  const told: { name: string; reason: string; message: string }[] = [];
  const stop = new AbortController();
  let level = 10;
  let reads = 0;
  let isAway = false;
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>({ body }: ApiRequest): Promise<R> {
      const event = body as { involvedObject: { name: string }; reason: string; message: string };
      told.push({ name: event.involvedObject.name, reason: event.reason, message: event.message });
      return Promise.resolve({} as R);
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  const run = (({ values }) => {
    reads += 1;
    if (isAway) return Promise.reject(new Error('Postgres is away'));
    const known = values.find(Array.isArray) as string[];
    const rows = jobs.map((name) => ({ uid: `uid-of-${name}`, namespace: 'default', name }));
    return Promise.resolve(rows.filter(({ uid }) => !known.includes(uid)));
  }) as Run;
  const over = sayNotPlaced({
    client,
    namespaces: [],
    run,
    level: () => level,
    log: silentLog(),
    now: Date.now,
    signal: stop.signal,
  });
  return {
    told,
    reads: () => reads,
    passes: (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000),
    raise: () => void (level = 11),
    away: (is: boolean) => void (isAway = is),
    async stop() {
      stop.abort();
      await over;
    },
    over,
  };
}

describe('placed Jobs below their feature level', () => {
  it('each get one Event, which names the level and the command', async () => {
    const worker = aWorker(['pi', 'e']);
    await worker.passes(20);
    expect(worker.told.map(({ name }) => name)).toEqual(['pi', 'e']);
    expect(worker.told[0]).toEqual({
      name: 'pi',
      reason: 'NotPlaced',
      message:
        'placed Jobs begin at feature level 11, and this installation is at 10: nothing runs this Job until the operator has run "jobledger upgrade --finalize" and restarted the ingesters',
    });
    await worker.stop();
  });

  it('are told once the tables can be read', async () => {
    const worker = aWorker(['pi']);
    worker.away(true);
    await worker.passes(1);
    worker.away(false);
    await worker.passes(10);
    expect(worker.told.map(({ name }) => name)).toEqual(['pi']);
    await worker.stop();
  });

  it('are not looked for any more when the level is reached', async () => {
    const worker = aWorker([]);
    await worker.passes(1);
    worker.raise();
    await worker.passes(10);
    await worker.over;
    expect(worker.reads()).toBe(1);
  });
});
