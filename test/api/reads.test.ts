import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../services/api/access/caller.ts';
import { createReads } from '../../services/api/reads.ts';

const callerNamed = (name: string): Caller =>
  ({ name, person: null, places: null, scopes: ['read'] }) as never;

const accountNamed = (name: string): Caller =>
  ({ name, person: { name, groups: [], cluster: 'local' }, places: null, scopes: ['read'] }) as never;

/** Reads whose queries run until the test ends them. */
function aBusyApi() {
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const reads = createReads({
    transaction: (work) => work(() => Promise.resolve([])),
  });
  return {
    running,
    end: () => ends.splice(0).forEach((end) => end()),
    read: (name: string, findCaller = callerNamed): Promise<void> =>
      reads({ caller: findCaller(name), raw: { socket: new EventEmitter() } }, () => {
        running.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
  };
}

describe('the connections of the API to Postgres', () => {
  it('are given to one caller with many queries only up to half of all connections, so that another caller can read at once', async () => {
    const { running, end, read } = aBusyApi();
    const many = Array.from({ length: 20 }, () => read('many'));
    const one = read('one');
    await setImmediate();
    expect(running).toEqual(['many', 'many', 'many', 'many', 'one']);
    while (running.length < 21) {
      end();
      await setImmediate();
    }
    end();
    await Promise.all([...many, one]);
  });

  it('are given first to the caller with the fewest running queries', async () => {
    const { running, end, read } = aBusyApi();
    const first = 'aaaabb'.split('').map((name) => read(name));
    const waiting = 'aaac'.split('').map((name) => read(name));
    await setImmediate();
    expect(running.join('')).toBe('aaaabb');
    end();
    await setImmediate();
    expect(running.slice(6).toSorted().join('')).toBe('aaac');
    end();
    await Promise.all([...first, ...waiting]);
  });

  it('are refused with 429 and a reason to a caller with more than a hundred waiting queries', async () => {
    const { running, end, read } = aBusyApi();
    const many = Array.from({ length: 104 }, () => read('many'));
    await expect(read('many')).rejects.toMatchObject({
      kind: 'too-many-requests',
      message: '100 of your requests are waiting; wait for their responses',
    });
    while (running.length < 104) {
      end();
      await setImmediate();
    }
    end();
    await Promise.all(many);
  });

  it('are shared by the ServiceAccounts of one namespace as by one caller', async () => {
    const { running, end, read } = aBusyApi();
    const many = Array.from({ length: 20 }, (_, at) =>
      read(`system:serviceaccount:crowd:robot-${at}`, accountNamed),
    );
    const one = read('system:serviceaccount:quiet:robot', accountNamed);
    await setImmediate();
    expect(running).toHaveLength(5);
    expect(running.at(-1)).toBe('system:serviceaccount:quiet:robot');
    while (running.length < 21) {
      end();
      await setImmediate();
    }
    end();
    await Promise.all([...many, one]);
  });
});

describe('a response that needs rows from Postgres', () => {
  it('has one time limit for the wait for a connection and for its queries, and the queries are cancelled at that limit', async () => {
    const waiting = Promise.withResolvers<void>();
    const reads = createReads(
      {
        transaction: async (work, signal) => {
          await work(() => Promise.resolve([]));
          await waiting.promise;
          signal?.throwIfAborted();
          throw new Error('its queries are not ended');
        },
      },
      100,
    );
    const caller = callerNamed('slow');
    const raw = { socket: new EventEmitter() };
    const answers = Array.from({ length: 5 }, () => reads({ caller, raw }, () => Promise.resolve()));
    const started = performance.now();
    await expect(answers[4]).rejects.toMatchObject({ kind: 'unavailable' });
    waiting.resolve();
    for (const each of answers.slice(0, 4)) await expect(each).rejects.toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(raw.socket.listenerCount('close')).toBe(0);
  });
});
