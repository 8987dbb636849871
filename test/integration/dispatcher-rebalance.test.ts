import { beginAssignment, type Assignments } from '../../services/dispatcher/assignments/assignment.ts';
import { consume } from '../../services/dispatcher/consume.ts';
import { createReadLiveJobs, writtenUpTo } from '../../services/dispatcher/assignments/read-live-jobs.ts';
import { ensureWorkflows } from '../../services/dispatcher/runs/ensure-workflows.ts';
import type { Signal } from '../../services/dispatcher/sending/send.ts';
import { createStartAssignment } from '../../services/dispatcher/assignments/start-assignment.ts';
import { eventKey } from '../../services/adapters/events/event-codec.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { committedOffsets, consumerGroup } from '../../services/consumers/groups.ts';
import { encodeLiveRecord } from '../../services/live-topic/live-topic.ts';
import { createPartitioner } from '../../services/adapters/kafka/create-partitioner.ts';
import { readEnds, scan } from '../../services/adapters/kafka/scan.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { startKafka, type AKafka } from '../support/a-kafka.ts';
import { at, jobObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { watchOffsets } from '../support/watch-offsets.ts';
import { REDACTION } from '../support/redaction.ts';

const PARTITIONS = 8;
const CLUSTERS = ['east', 'north', 'west'];

let kafka: AKafka;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
}, 30_000);

afterAll(async () => {
  await kafka?.stop();
}, 60_000);

async function aLedger(topic: string): Promise<KafkaConnection> {
  const ledger = kafka.ledger(topic, PARTITIONS);
  await ensureTopics(ledger, new AbortController().signal);
  return ledger;
}

/**
 * The signals of this dispatcher wait while `holds`, and signals to the Job `hangs` get no answer. With `isLiveTopicNew`, the live
 * topic may lack what the ledger has.
 */
interface ADispatcher {
  assignments: Assignments;
  /** Each accepted signal has added `<cluster>/<uid>` here. */
  signalled: string[];
  /** Returns the number of signals in flight. */
  held(): number;
  release(): void;
  stop(): Promise<void>;
}

async function aDispatcher(
  ledger: KafkaConnection,
  { holds = false, hangs = '', isLiveTopicNew = true } = {},
): Promise<ADispatcher> {
  const assignments: Assignments = new Map();
  const signalled: string[] = [];
  const waiting: (() => void)[] = [];
  let isHolding = holds;
  const signal: Signal = async ({ cluster, uid }) => {
    if (`${cluster}/${uid}` === hangs) await new Promise(() => undefined);
    if (isHolding) await new Promise<void>((resolve) => void waiting.push(resolve));
    signalled.push(`${cluster}/${uid}`);
  };
  const ending = new AbortController();
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now: Date.now,
    periodMs: 100,
  };
  const subscription = await consume(ledger, {
    dispatch,
    sending: { signal, log: ledger.log, mostWaiting: 40 },
    startAssignment: createStartAssignment({
      assignments,
      committed: () => committedOffsets(ledger, consumerGroup(ledger, 'dispatcher')),
      writtenUpTo: () => (isLiveTopicNew ? writtenUpTo(ledger) : readEnds(ledger, ledger.topics.ledger)),
      readLiveJobs: createReadLiveJobs(ledger, DEFAULT_SETTINGS, ['Job']),
      onTaken: () => undefined,
    }),
    report: { onAssigned: () => undefined, onStopped: () => undefined },
    onAssigned: () => undefined,
    setAside: () => Promise.reject(new Error('not used')),
    signal: ending.signal,
  });
  const stop = async (): Promise<void> => {
    ending.abort();
    await subscription.close();
  };
  closing.push(() => (ending.signal.aborted ? Promise.resolve() : stop()));
  return {
    assignments,
    signalled,
    held: () => waiting.length,
    release() {
      isHolding = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    stop,
  };
}

function jobEvents(count: number, from = 0): JobEvent[] {
  return Array.from({ length: count }, (_none, index) => {
    const cluster = CLUSTERS[index % CLUSTERS.length] ?? '';
    const scope = { cluster, claim: 'managed' as const, redaction: REDACTION };
    return translateJob(scope, jobObject({ uid: `job-${from + index}` }), at(0)).events;
  }).flat();
}

async function appendTo(ledger: KafkaConnection, events: readonly JobEvent[]): Promise<void> {
  const to = await createAppender(ledger);
  await to.append(events);
  await to.close();
}

/** The ingester writes such an entry about a Job. */
const ENTRY = { namespace: 'default', name: 'pi', managedBy: 'jobledger.dev/job-controller' };

/** Writes entries to the live topic by the keys `<cluster>/<uid>`; a key with the value null is deleted. */
async function writeLive(
  ledger: KafkaConnection,
  keys: readonly string[],
  value: unknown,
  kind: 'jobs' | 'pods' = 'jobs',
): Promise<void> {
  const records = keys.map((each) => {
    const [cluster = '', key = ''] = each.split('/');
    return encodeLiveRecord({ cluster, kind, key, value });
  });
  const to = await createAppender(ledger);
  await to.write(ledger.topics.live, records);
  await to.close();
}

async function untilCommitted(ledger: KafkaConnection): Promise<void> {
  const ends = await readEnds(ledger, ledger.topics.ledger);
  await eventually('everything is committed', 30, async () => {
    const committed = await committedOffsets(ledger, consumerGroup(ledger, 'dispatcher'));
    return [...ends].every(([partition, end]) => committed.get(partition) === end) || undefined;
  });
}

const has = (dispatcher: ADispatcher, partitions: number) => () =>
  Promise.resolve(dispatcher.assignments.size === partitions || undefined);

describe('dispatchers that join and leave while signals are in flight', () => {
  it('signal every Job of every cluster, and no committed offset decreases', async () => {
    const ledger = await aLedger('come-and-go');
    const commits = watchOffsets(() => committedOffsets(ledger, consumerGroup(ledger, 'dispatcher')));
    closing.push(() => commits.stop());
    const events = jobEvents(60);
    await appendTo(ledger, events.slice(0, 30));
    const slow = await aDispatcher(ledger, { holds: true });
    await eventually('signals are in flight', 20, () => Promise.resolve(slow.held() === 30 || undefined));
    const second = await aDispatcher(ledger);
    await eventually('the partitions are shared', 20, has(second, PARTITIONS / 2));
    await appendTo(ledger, events.slice(30));
    // The signals are accepted after half of the partitions were revoked.
    slow.release();
    await untilCommitted(ledger);
    await slow.stop();
    await eventually('the second has all partitions', 20, has(second, PARTITIONS));
    const third = await aDispatcher(ledger);
    await eventually('the partitions are shared again', 20, has(third, PARTITIONS / 2));
    const more = jobEvents(30, 60);
    await appendTo(ledger, more);
    await untilCommitted(ledger);
    const signalled = new Set([slow, second, third].flatMap((each) => each.signalled));
    expect([...signalled].toSorted()).toEqual([...events, ...more].map(eventKey).toSorted());
    expect(commits.stepsBack()).toEqual([]);
  }, 90_000);

  it('signal each fact of a partition once if the partition stays with the same dispatcher', async () => {
    const ledger = await aLedger('kept');
    const first = await aDispatcher(ledger, { holds: true });
    await eventually('it has all', 20, has(first, PARTITIONS));
    const events = jobEvents(40);
    await appendTo(ledger, events);
    await eventually('signals are in flight', 20, () => Promise.resolve(first.held() === 40 || undefined));
    const second = await aDispatcher(ledger);
    await eventually('the partitions are shared', 20, has(second, PARTITIONS / 2));
    const kept = new Set(first.assignments.keys());
    first.release();
    await untilCommitted(ledger);
    const choosePartition = createPartitioner(ledger);
    const inKept = events.map(eventKey).filter((key) => kept.has(choosePartition(key)));
    expect(inKept.length).toBeGreaterThan(0);
    const times = inKept.map(
      (key) => [...first.signalled, ...second.signalled].filter((each) => each === key).length,
    );
    expect(times).toEqual(inKept.map(() => 1));
  }, 60_000);
});

describe('a dispatcher group whose committed offsets Kafka has deleted', () => {
  it('signals only new facts, and commits in a partition only after its Jobs were recalled', async () => {
    const ledger = await aLedger('dropped');
    await appendTo(ledger, jobEvents(40));
    const first = await aDispatcher(ledger);
    await untilCommitted(ledger);
    expect(first.signalled).toHaveLength(40);
    await first.stop();
    const admin = ledger.kafka.admin();
    await admin.connect();
    await admin.deleteGroups([consumerGroup(ledger, 'dispatcher')]);
    await admin.disconnect();
    const second = await aDispatcher(ledger, { isLiveTopicNew: false });
    await eventually('it has all', 20, has(second, PARTITIONS));
    const more = jobEvents(40, 40);
    await appendTo(ledger, more);
    await eventually('the new ones are signalled', 20, () =>
      Promise.resolve(second.signalled.length === 40 || undefined),
    );
    expect(second.signalled.toSorted()).toEqual(more.map(eventKey).toSorted());
    const begunAnew = [...second.assignments.values()].filter(({ isRecallDue }) => isRecallDue);
    expect(begunAnew.length).toBeGreaterThan(0);
    const committed = await committedOffsets(ledger, consumerGroup(ledger, 'dispatcher'));
    expect(begunAnew.filter(({ partition }) => committed.has(partition))).toEqual([]);
    for (const each of begunAnew) each.isRecallDue = false;
    await untilCommitted(ledger);
  }, 60_000);
});

describe('a signal that gets no answer', () => {
  it('delays neither the signals of other Jobs nor the commits of other partitions', async () => {
    const ledger = await aLedger('hangs');
    const events = jobEvents(40);
    const hangs = events.map(eventKey)[0] ?? '';
    const dispatcher = await aDispatcher(ledger, { hangs });
    await appendTo(ledger, events);
    const hanging = createPartitioner(ledger)(hangs);
    const ends = await readEnds(ledger, ledger.topics.ledger);
    const expected = [...ends].filter(([partition]) => partition !== hanging);
    expect(expected.length).toBeGreaterThan(0);
    await eventually('the other partitions are committed', 30, async () => {
      const committed = await committedOffsets(ledger, consumerGroup(ledger, 'dispatcher'));
      return expected.every(([partition, end]) => committed.get(partition) === end) || undefined;
    });
    const others = events.map(eventKey).filter((key) => key !== hangs);
    await eventually('all other Jobs are signalled', 30, () =>
      Promise.resolve(dispatcher.signalled.length === others.length || undefined),
    );
    expect(dispatcher.signalled.toSorted()).toEqual(others.toSorted());
    const committed = await committedOffsets(ledger, consumerGroup(ledger, 'dispatcher'));
    expect(committed.get(hanging) ?? 0n).toBeLessThan(ends.get(hanging) ?? 0n);
  }, 60_000);
});

describe('a Job that is deleted while another dispatcher has its partition', () => {
  it('is unknown to the dispatcher that gets the partition back, which starts no workflow for the Job', async () => {
    const ledger = await aLedger('deleted-meanwhile');
    const keys = jobEvents(20).map(eventKey);
    const choosePartition = createPartitioner(ledger);
    await writeLive(ledger, keys, ENTRY);
    const first = await aDispatcher(ledger);
    await eventually('it has all', 20, has(first, PARTITIONS));
    const knownTo = ({ assignments }: ADispatcher): string[] =>
      [...assignments.values()].flatMap(({ jobs }) => [...jobs.keys()]).toSorted();
    expect(knownTo(first)).toEqual(keys.toSorted());
    const second = await aDispatcher(ledger);
    await eventually('the partitions are shared', 20, has(second, PARTITIONS / 2));
    await eventually('the first has the others', 20, has(first, PARTITIONS / 2));
    const gone = keys.filter((key) => second.assignments.has(choosePartition(key)));
    expect(gone.length).toBeGreaterThan(0);
    await writeLive(ledger, gone, null);
    await second.stop();
    await eventually('the first has all again', 20, has(first, PARTITIONS));
    const left = keys.filter((key) => !gone.includes(key)).toSorted();
    expect(knownTo(first)).toEqual(left);
    const started: string[] = [];
    await ensureWorkflows({
      assignments: first.assignments,
      settings: DEFAULT_SETTINGS,
      running: () => Promise.resolve(new Set<string>()),
      readLiveJobs: createReadLiveJobs(ledger, DEFAULT_SETTINGS, ['Job']),
      signal: ({ cluster, uid }) => Promise.resolve(void started.push(`${cluster}/${uid}`)),
      log: ledger.log,
    });
    expect(started.toSorted()).toEqual(left);
  }, 60_000);
});

describe('the Jobs that a dispatcher knows in its partitions', () => {
  it('are those whose records the producer writes to these partitions, and include deleted Jobs', async () => {
    const ledger = await aLedger('live-jobs');
    await appendTo(ledger, jobEvents(40));
    const keys = jobEvents(40).map(eventKey);
    await writeLive(ledger, keys, ENTRY);
    // The first three Jobs are deleted; the third has left a pod.
    await writeLive(ledger, keys.slice(0, 3), null);
    const [cluster = '', uid = ''] = (keys[2] ?? '').split('/');
    await writeLive(ledger, [`${cluster}/pod-1`], { jobs: [uid] }, 'pods');

    const where = new Map<string, number>();
    await scan(ledger, ledger.topics.ledger, ({ key, partition }) => where.set(key, partition));
    const readLiveJobs = createReadLiveJobs(ledger, DEFAULT_SETTINGS, ['Job']);
    const live = await readLiveJobs(new Set([1, 4, 6]));
    const expected = (partition: number, some: string[]): string[] =>
      some.filter((key) => where.get(key) === partition).toSorted();
    expect([...live.keys()]).toEqual([1, 4, 6]);
    for (const [partition, { jobs, gone }] of live) {
      expect([...jobs.keys()].toSorted()).toEqual(expected(partition, keys.slice(3)));
      const goneJobs = expected(partition, keys.slice(0, 2));
      const gonePlacedJobs = expected(partition, keys.slice(0, 3)).map((key) => `${key}/PlacedJob`);
      expect([...gone].toSorted()).toEqual([...goneJobs, ...gonePlacedJobs].toSorted());
    }
    const all = await readLiveJobs(
      new Set(Array.from({ length: PARTITIONS }, (_none, partition) => partition)),
    );
    expect([...all.values()].reduce((sum, { jobs }) => sum + jobs.size, 0)).toBe(37);
    expect([...all.values()].flatMap(({ gone }) => [...gone]).toSorted()).toEqual(
      [...keys.slice(0, 2), ...keys.slice(0, 3).map((key) => `${key}/PlacedJob`)].toSorted(),
    );
  }, 60_000);

  it('are read again when the partition returns after another dispatcher has committed', async () => {
    const assignments: Assignments = new Map();
    let committed = 5n;
    const live: number[][] = [];
    const take = createStartAssignment({
      assignments,
      committed: () => Promise.resolve(new Map([[0, committed]])),
      writtenUpTo: () => Promise.resolve(new Map()),
      readLiveJobs: (partitions) => {
        live.push([...partitions]);
        return Promise.resolve(
          new Map([...partitions].map((each) => [each, { jobs: new Map(), gone: new Set(), end: 9n }])),
        );
      },
      onTaken: () => undefined,
    });
    const isNotStale = (): boolean => false;
    expect(await take(0, isNotStale)).toBe(5n);
    const first = assignments.get(0);
    first?.position.read(8n);
    expect(await take(0, isNotStale)).toBe(8n);
    expect(assignments.get(0)).toBe(first);
    committed = 7n;
    expect(await take(0, isNotStale)).toBe(7n);
    expect([first?.isOver, assignments.get(0)?.position.committed()]).toEqual([true, 7n]);
    expect(live).toEqual([[0], [0]]);
    expect(beginAssignment(0, 1n, { jobs: new Map(), gone: new Set(['a/b']), end: 1n }).gone.size).toBe(0);
  });
});
