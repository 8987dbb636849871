import { setImmediate as macrotask } from 'node:timers/promises';
import type { Appender } from '../../services/adapters/kafka/append.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createAppendQueue, type AppendQueue } from '../../services/ingester/append/append-queue.ts';
import type { LiveChange } from '../../services/ingester/live-set/live-set.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { at, CLUSTER, jobObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { REDACTION } from '../support/redaction.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const LARGE = { ...SCOPE, redaction: { ...REDACTION, maxBytes: 4_000_000 } };

/**
 * A queue over a Kafka that keeps what it accepted in a list; it accepts nothing until `accepts`, and
 * fails the first writes of the live set.
 */
function aQueue({
  isHeld = () => true,
  accepts = Promise.resolve(),
  failures = 0,
}: { isHeld?: () => boolean; accepts?: Promise<void>; failures?: number } = {}): {
  queue: AppendQueue;
  taken: string[];
  positions: () => string[];
  stop: () => Promise<void>;
} {
  const taken: string[] = [];
  let left = failures;
  const appender: Appender = {
    async append(events, permit) {
      await accepts;
      permit?.();
      taken.push(...events.map(({ id }) => `event ${id}`));
    },
    async write(_topic, messages, permit) {
      permit?.();
      left -= 1;
      if (left >= 0) throw new Error('the record is too large');
      taken.push(...messages.map(({ key, value }) => `${String(key)} ${String(value)}`));
    },
    close: async () => undefined,
  };
  const stopped = new AbortController();
  const topics = { ledger: 'ledger', live: 'live', deadLetters: 'dead', features: 'features' };
  const { signal } = stopped;
  const queue = createAppendQueue({
    cluster: CLUSTER,
    appender,
    topics,
    log: silentLog(),
    isHeld,
    signal,
    lingerMs: 0,
  });
  return {
    queue,
    taken,
    positions: () =>
      taken
        .filter((record) => record.startsWith('east/position/'))
        .map((record) => /resourceVersion":"(\d+)"/.exec(record)?.[1] ?? ''),
    async stop() {
      stopped.abort();
      await queue.close();
    },
  };
}

function reached(version: number): LiveChange {
  return {
    resource: 'position',
    of: 'jobs',
    position: { resourceVersion: String(version), time: at(version) },
  };
}

/** A Job, and the watch's position at it. */
async function append(queue: AppendQueue, version: number): Promise<void> {
  const job = jobObject({ name: `job-${version}`, uid: `uid-${version}` });
  const { events, changes } = translateJob(SCOPE, job, at(0));
  await queue.put({ events, changes: [...changes, reached(version)] });
}

describe('the positions in the compacted live topic', () => {
  it('are written once a second at most, however many batches exist, and when the ingester stops', async () => {
    const { queue, taken, positions, stop } = aQueue();
    for (let version = 1; version <= 50; version += 1) {
      await append(queue, version);
      await queue.drained();
    }
    expect(taken.filter((record) => record.startsWith('event '))).toHaveLength(50);
    expect(positions()).toEqual(['1']);
    await stop();
    expect(positions()).toEqual(['1', '50']);
  });

  it('are never ahead of the events that they cover, and are also written when there is no event', async () => {
    const { queue, taken, positions, stop } = aQueue();
    await append(queue, 1);
    await queue.drained();
    await append(queue, 2);
    await append(queue, 3);
    await eventually('the last position', 5, async () => (positions().includes('3') ? true : undefined));
    expect(positions()).toEqual(['1', '3']);
    const order = taken.map((record) =>
      record.replace(/ \{.*/, '').replace(/event east\/job\/([^/]+).*/, '$1'),
    );
    expect(order).toContain('east/jobs/uid-3');
    expect(order.indexOf('east/jobs/uid-3')).toBeLessThan(order.lastIndexOf('east/position/jobs'));
    await stop();
  });

  it('are not written more often when only bookmarks arrive', async () => {
    const { queue, positions, stop } = aQueue();
    for (let version = 1; version <= 100; version += 1) {
      await queue.put({ events: [], changes: [reached(version)] });
      await queue.drained();
    }
    await stop();
    expect(positions()).toEqual(['1', '100']);
  });
});

describe('events that wait for Kafka', () => {
  it('are bounded by their bytes, not only by their number, and no event is lost', async () => {
    let accept: () => void = () => undefined;
    const accepts = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const { queue, taken, stop } = aQueue({ accepts });
    let put = 0;
    const puttingAll = (async () => {
      for (let version = 1; version <= 44; version += 1) {
        const { metadata, ...rest } = jobObject({ name: `job-${version}`, uid: `uid-${version}` });
        const labels = { large: 'x'.repeat(1024 * 1024) };
        await queue.put(translateJob(LARGE, { ...rest, metadata: { ...metadata, labels } }, at(0)));
        put += 1;
      }
    })();
    await macrotask();
    expect(put).toBeGreaterThan(16);
    expect(put).toBeLessThan(40);
    accept();
    await puttingAll;
    await queue.drained();
    expect(taken.filter((record) => record.startsWith('event '))).toHaveLength(44);
    await stop();
  });
});

describe('a failed write of the live set', () => {
  it('is repeated without the events, which the ledger already has', async () => {
    const { queue, taken, stop } = aQueue({ failures: 2 });
    await append(queue, 1);
    await queue.drained();
    expect(taken.map((record) => record.split(' ')[0])).toEqual([
      'event',
      'east/jobs/uid-1',
      'east/position/jobs',
    ]);
    await stop();
  });
});

describe('a Lease that another process may hold', () => {
  it('prevents all appends, and the last write of positions', async () => {
    let isHeld = true;
    const { queue, taken, stop } = aQueue({ isHeld: () => isHeld });
    await append(queue, 1);
    await queue.drained();
    await append(queue, 2);
    await queue.drained();
    const before = [...taken];
    isHeld = false;
    const put = append(queue, 3);
    await stop();
    await put;
    expect(taken).toEqual(before);
  });

  it('permits the append of waiting events when the Lease is renewed', async () => {
    let isHeld = false;
    const { queue, taken, stop } = aQueue({ isHeld: () => isHeld });
    await append(queue, 1);
    isHeld = true;
    await queue.drained();
    expect(taken.map((record) => record.split(' ')[0])).toEqual([
      'event',
      'east/jobs/uid-1',
      'east/position/jobs',
    ]);
    await stop();
  });
});
