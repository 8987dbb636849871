import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { cacheFor } from '../../services/adapters/waiting/shared.ts';
import { followEvents, type EventFeed } from '../../services/api/stream/follow.ts';
import { positionsIn, positionsText, type Positions } from '../../services/api/stream/positions.ts';
import type { EventBatch } from '../../services/api/stream/read-on.ts';
import { serverSentEvents } from '../../services/api/stream/server-sent-events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, jobObserved } from '../projector/builders.ts';

const event = withDigest<JobEvent>(jobObserved(1, aJob({ version: 1, metadata: { name: 'two\nlines' } })));
const at = (text: string): Positions => positionsIn(text) ?? new Map();

/** The text of a stream of these batches. */
async function streamText(portions: EventBatch[]): Promise<string> {
  let text = '';
  for await (const part of serverSentEvents(at('0:0'), portions as unknown as AsyncIterable<EventBatch>))
    text += part;
  return text;
}

describe('the text of an event stream', () => {
  it('has an id for each event, and the data on one line', async () => {
    const text = await streamText([{ events: [{ event, positions: at('0:3,1:2') }], next: at('0:3,1:9') }]);
    const blocks = text.split('\n\n');
    expect(blocks[0]).toBe('retry: 2000\nid: 0:0\n:');
    expect(blocks[1]).toMatch(/^id: 0:3,1:2\ndata: \{"specversion":"1\.0".*two\\nlines.*\}$/);
    expect(blocks[2]).toBe('id: 0:3,1:9\n:');
  });
});

describe('an event stream that follows the ledger', () => {
  const quiet: EventFeed = {
    ends: () => Promise.resolve(at('0:5')),
    readOn: (from) => Promise.resolve({ events: [], next: from }),
  };

  it('sends a keep-alive while no events come', async () => {
    const stop = new AbortController();
    const portions = followEvents(
      quiet,
      at('0:5'),
      { places: null },
      { signal: stop.signal, keepAliveMs: 1 },
    );
    const signs = [await portions.next(), await portions.next()];
    stop.abort();
    expect(signs.map(({ value }) => (value as EventBatch).events)).toEqual([[], []]);
    expect((await portions.next()).done).toBe(true);
  });

  it('sends its position when the filter rejects every event', async () => {
    const stop = new AbortController();
    const passing: EventFeed = {
      ends: () => Promise.resolve(at('0:9')),
      readOn: (from) => Promise.resolve({ events: [], next: from.get(0) === 9n ? from : at('0:9') }),
    };
    const { value } = await followEvents(
      passing,
      at('0:0'),
      { places: null },
      { signal: stop.signal, keepAliveMs: 1 },
    ).next();
    stop.abort();
    expect(positionsText((value as EventBatch).next)).toBe('0:9');
  });

  it('ends when the server closes it, however long the stream has waited', async () => {
    const stop = new AbortController();
    const next = followEvents(quiet, at('0:5'), { places: null }, { signal: stop.signal }).next();
    stop.abort();
    expect((await next).done).toBe(true);
  });
});

describe('a query that many callers send at the same time', () => {
  it('is run once per period, for all of these callers', async () => {
    let asked = 0;
    const ask = cacheFor(() => Promise.resolve((asked += 1)), 10_000);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  });
});

describe('a value that several requests load at the same time', () => {
  it('is loaded once while the requests wait, and a failure is not cached', async () => {
    let loads = 0;
    const load = cacheFor(() => {
      loads += 1;
      return loads === 1 ? Promise.reject(new Error('down')) : Promise.resolve(loads);
    }, 600_000);
    const both = await Promise.allSettled([load(), load()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([await load(), await load()]).toEqual([2, 2]);
  });
});
