import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import type { ToAppend } from '../../../services/ingester/append/append-queue.ts';
import { createUnwrittenChanges } from '../../../services/ingester/append/unwritten-changes.ts';
import type { EventObject } from '../../../services/ingester/kubernetes-events/event-object.ts';
import { createEventRecorder } from '../../../services/ingester/kubernetes-events/event-recorder.ts';
import { readerOfEvents } from '../../../services/ingester/kubernetes-events/events-reader.ts';
import { createSeenEvents } from '../../../services/ingester/kubernetes-events/seen-events.ts';
import { listWatch } from '../../../services/ingester/watch/list-watch.ts';
import { withAskedVersion } from '../../../services/ingester/watch/asked-version.ts';
import type { WatchEvent } from '../../../services/adapters/kubernetes/watch.ts';
import { eventually } from '../../support/eventually.ts';
import { aCollection, type Collection } from '../a-collection.ts';
import { anEvent } from './an-event.ts';

let stop = new AbortController();

beforeEach(() => {
  stop = new AbortController();
});

afterEach(() => stop.abort());

/** Follows Events of a played API server from a position, or from a list without one. */
function following(
  collection: Collection<EventObject>,
  from: string | null,
): { events: LedgerEvent[]; positions: string[] } {
  const [events, positions]: [LedgerEvent[], string[]] = [[], []];
  const scope = { cluster: 'east' } as Parameters<typeof readerOfEvents>[0]['scope'];
  const recorder = createEventRecorder(scope, {
    findStream: () => ({ jobUid: 'job-1', jobName: 'pi' }),
    seen: createSeenEvents(),
    count: () => undefined,
  });
  const queue = {
    put: async (each: ToAppend) => {
      events.push(...each.events);
      for (const change of each.changes)
        if (change.resource === 'position') positions.push(change.position.resourceVersion);
    },
    drained: async () => undefined,
    close: async () => undefined,
  };
  const before = from === null ? null : { resourceVersion: from, time: '2026-12-01T07:00:00.000Z' };
  void listWatch(
    {
      client: collection.client,
      log: silentLog(),
      path: '/apis/events.k8s.io/v1/events',
      isWithoutBookmarks: true,
      from: from ?? undefined,
      auditMs: Infinity,
      signal: stop.signal,
    },
    readerOfEvents({ scope, recorder, queue, name: 'pod-events', before }),
  );
  return { events, positions };
}

const typesOf = (events: readonly LedgerEvent[]): string[] => events.map(({ type }) => type);

describe('the watch of Events', () => {
  it('begins with a list, which shows the Events that still exist, and continues at its version', async () => {
    const collection = aCollection<EventObject>('east');
    collection.hold(anEvent());
    collection.at('600');
    const { events, positions } = following(collection, null);
    await eventually('the list is recorded', 5, async () => positions.at(-1));
    const note = 'another text';
    collection.append('ADDED', anEvent({ note }, { uid: 'event-2', resourceVersion: '610' }));
    await eventually('the watch has gone on', 5, async () => (positions.includes('610') ? true : undefined));
    expect(typesOf(events)).toEqual(['kubernetes-event.observed', 'kubernetes-event.observed']);
    expect(collection.asked).toEqual(['list', '600']);
  });

  it('records no event when an Event is deleted, which the API server does with each after a time', async () => {
    const collection = aCollection<EventObject>('east');
    const { events, positions } = following(collection, '500');
    collection.append('DELETED', anEvent({}, { resourceVersion: '620' }));
    await eventually('the deletion has passed', 5, async () =>
      positions.includes('620') ? true : undefined,
    );
    expect(events).toEqual([]);
  });

  it('records a gap with its period when the API server no longer has the position', async () => {
    const collection = aCollection<EventObject>('east');
    collection.forgetBefore('550');
    collection.at('700');
    const { events } = following(collection, '500');
    await eventually('the gap is recorded', 5, async () => (events.length > 0 ? true : undefined));
    expect(events).toMatchObject([
      {
        type: 'kubernetes-events.dropped',
        data: { since: '2026-12-01T07:00:00.000Z', dropped: [], gap: { reason: expect.any(String) } },
      },
    ]);
  });
});

describe('a watch without bookmarks', () => {
  const end = Promise.withResolvers<void>();
  async function* until(events: WatchEvent<EventObject>[]): AsyncGenerator<WatchEvent<EventObject>> {
    yield* events;
    await end.promise;
  }

  async function versionsOf(
    events: AsyncIterable<WatchEvent<EventObject>>,
    listed: string,
  ): Promise<unknown[]> {
    const client = {
      cluster: 'east',
      request: async <R>() => {
        end.resolve();
        return { metadata: { resourceVersion: listed }, items: [] } as R;
      },
      stream: () => Promise.reject(new Error('not asked for')),
    };
    const options = { client, path: '/events', signal: new AbortController().signal, afterMs: 1 };
    const all = await Array.fromAsync(withAskedVersion(events, options));
    return all.map((each) => ('object' in each ? 'event' : each.resourceVersion));
  }

  it('ends with the version that the API server named while it was open, if that is newer than the last event', async () => {
    const event = { type: 'ADDED' as const, object: anEvent({}, { resourceVersion: '500' }) };
    expect(await versionsOf(until([event]), '900')).toEqual(['event', '900']);
    expect(await versionsOf(until([event]), '499')).toEqual(['event']);
  });

  it('has no such version when it breaks off', async () => {
    // eslint-disable-next-line require-yield
    async function* broken(): AsyncGenerator<WatchEvent<EventObject>> {
      await end.promise;
      throw new Error('broken off');
    }
    await expect(versionsOf(broken(), '900')).rejects.toThrow('broken off');
  });
});

describe('the unwritten changes of the live topic', () => {
  it('keep the Job and the recorded Events of the Job apart', () => {
    const unwritten = createUnwrittenChanges();
    unwritten.add([{ resource: 'jobs', uid: 'job-1', entry: null }]);
    unwritten.add([{ resource: 'kubernetes-events', uid: 'job-1', entry: {} }]);
    expect(unwritten.all().map(({ resource }) => resource)).toEqual(['jobs', 'kubernetes-events']);
  });
});
