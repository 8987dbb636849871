import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../services/adapters/errors.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { formatBody } from '../../services/projector/sink/bodies/body.ts';
import { deliver } from '../../services/projector/sink/post-message.ts';
import { EVERYTHING } from '../../services/projector/sink/filter.ts';
import { keepSink } from '../../services/projector/sink/keep-sink.ts';
import { type SinkDependencies } from '../../services/projector/sink/delivery.ts';
import type { JobEnded, JobMessage } from '../../services/projector/sink/message.ts';
import { searchLedger } from '../../services/projector/sink/search-ledger.ts';
import { FIRST_PLACE, queuesBehind, removeMessage } from '../../services/projector/sink/sink-messages.ts';
import { lockSpan, moveSinkPosition } from '../../services/projector/sink/sink-positions.ts';
import type { HttpSink } from '../../services/projector/sink/target.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import {
  aJob,
  aPod,
  anEndedPod,
  decided,
  deletePods,
  jobObserved,
  podDeleted,
  podObserved,
} from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  TOPIC,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { at as instant } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';

let postgres: RealPostgres;
let sink: Server;
let url: string;

/** The sink has got these messages, in order, whether it accepted them or not. */
let received: { event: JobMessage; type: string | undefined; token: string | undefined }[];
/** Chooses the status of each response; undefined means 200. */
let chooseStatus: (event: JobMessage) => number | undefined;
/** The next record has this offset. */
let offset: bigint;

beforeAll(async () => {
  postgres = await startPostgres();
  sink = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const event = JSON.parse(text) as JobMessage;
      const { 'content-type': type, authorization: token } = request.headers;
      received.push({ event, type, token });
      response.writeHead(chooseStatus(event) ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook?key=secret`;
});
afterAll(async () => {
  sink?.closeAllConnections();
  await new Promise((resolve) => sink?.close(resolve));
  await postgres?.close();
});

beforeEach(async () => {
  [received, chooseStatus, offset] = [[], () => undefined, 0n];
  await emptied(postgres.database);
  // A sink gets no messages about events before its beginning.
  await applied([observed(0, sinkJob('before', true))]);
});

function sinkJob(
  name: string,
  hasEnded: boolean,
  version = hasEnded ? 2 : 1,
  namespace = 'default',
): ReturnType<typeof aJob> {
  const condition = { type: 'Complete', status: 'True', lastTransitionTime: '2026-04-01T00:00:05Z' } as const;
  return aJob({
    version,
    metadata: { name, uid: name, namespace },
    status: { succeeded: hasEnded ? 1 : 0, ...(hasEnded && { conditions: [condition] }) },
  });
}

function observed(at: number, job: ReturnType<typeof aJob>): JobEvent {
  const { name, uid, namespace } = job.metadata;
  return withDigest({ ...jobObserved(at, job, uid), subject: `${namespace}/${name}` });
}

/** Returns three observations of a Job: running, ended, and changed once more. */
function life(name: string, namespace?: string): JobEvent[] {
  return [
    sinkJob(name, false, 1, namespace),
    sinkJob(name, true, 2, namespace),
    sinkJob(name, true, 3, namespace),
  ].map((job, at) => observed(at + 1, job));
}

async function applied(events: readonly LedgerEvent[]): Promise<void> {
  const records = toRecords(events).map((record) => ({ ...record, offset: offset + record.offset }));
  offset += BigInt(records.length);
  await aProjector(postgres.database).project(records);
}

/** Applies events as the first records of partition 1. */
async function appliedBeside(events: readonly LedgerEvent[]): Promise<void> {
  const records = toRecords(events).map((record) => ({ ...record, partition: 1 }));
  await aProjector(postgres.database).project(records, 1);
}

const EVERY_TYPE = { types: ['started', 'attempt-failed', 'ended'] } as const;

/** Returns the observation of a Job with this start time. */
function begun(name: string, version: number, startTime: string | null): JobEvent {
  const status = startTime === null ? {} : { startTime };
  return observed(version, aJob({ version, metadata: { name, uid: name }, status }));
}

/** Returns each message as its type and the names of the Job and the pod. */
const receivedMessages = (): string[] =>
  received.map(({ event }) => {
    const what = event.type.split('.')[3] ?? '';
    return 'attempt' in event.data
      ? `${what} ${event.data.name} ${event.data.attempt.pod}`
      : `${what} ${event.data.name}`;
  });

function delivered(to: Partial<HttpSink>, message: JobMessage, signal: AbortSignal): Promise<void> {
  const body = formatBody(message, { kind: 'cloudevent', page: null, now: 0 });
  const target = { url, token: null, headers: {}, secret: null, withoutTls: true, ...to };
  return deliver(target, { id: message.id, body }, signal);
}

/** Runs processes that deliver to the sink until the returned function is called. */
async function keeping(count: number, changed: Partial<SinkDependencies> = {}): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const kept = Array.from({ length: count }, () =>
    keepSink({
      database: postgres.database,
      key: { sink: 'test', topic: TOPIC },
      types: ['ended'],
      filter: EVERYTHING,
      deliver: (message) => delivered({ url }, message, ending.signal),
      onDelivered: () => undefined,
      onFailed: () => undefined,
      log: silentLog(),
      signal: ending.signal,
      pollMs: 50,
      ...changed,
    }),
  );
  await eventually('the sink has begun', 10, async () => ((await positions()).length > 0 ? true : undefined));
  return async () => {
    ending.abort();
    await Promise.all(kept);
  };
}

async function positions(): Promise<string[]> {
  const rows = await postgres.database.run<{ next: string }>(
    sql`select next_offset as next from jobledger.sink_positions where sink = 'test' order by partition`,
  );
  return rows.map(({ next }) => next);
}

/** Resolves when all records were searched and no message waits. */
const caughtUp = (): Promise<true> =>
  eventually('the sink has caught up', 60, async () =>
    (await positions()).join() === String(offset) && (await waiting()).join() === '' ? true : undefined,
  );

/** Returns the offsets of records whose messages were not delivered. */
async function waiting(): Promise<string[]> {
  const rows = await postgres.database.run<{ offset: string }>(
    sql`select kafka_offset as offset from jobledger.sink_messages where sink = 'test' order by kafka_offset`,
  );
  return rows.map(({ offset: each }) => each);
}

const names = (): string[] => received.map(({ event }) => event.data.name);

describe('a sink of messages', () => {
  it('receives the end of each Job once, as a CloudEvent', async () => {
    const stop = await keeping(1);
    await applied([...life('a'), ...life('b')]);
    await caughtUp();
    await stop();
    expect(names()).toEqual(['a', 'b']);
    const [first] = received;
    expect(first?.type).toBe('application/cloudevents+json; charset=utf-8');
    expect(first?.event).toMatchObject({
      specversion: '1.0',
      type: 'dev.jobledger.job.ended.v1',
      id: expect.stringMatching(/\/a\/ended$/) as unknown,
      subject: 'default/a',
      data: {
        name: 'a',
        uid: 'a',
        condition: 'Complete',
        succeeded: 1,
        finishedAt: '2026-04-01T00:00:05.000Z',
      },
    });
  });

  describe('about a placed Job', () => {
    const complete = (name: string, uid: string) =>
      claimantSeen(9, {
        name,
        uid,
        status: {
          succeeded: 1,
          completionTime: instant(8),
          conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: instant(8) }],
        },
      });
    const created = { kind: 'CreateMember', result: 'created', member };
    const memberPod = (at: number, name: string): LedgerEvent => {
      const { data, ...event } = podObserved(at, anEndedPod({ name, version: at, exitCode: 3, endedAt: at }));
      return withDigest({
        ...event,
        id: `west/pod/uid-${name}/${at}`,
        source: 'west',
        data: { ...data, cluster: 'west', jobUid: member.uid },
      });
    };

    it('receives the end of the placed Job, and no end of the member', async () => {
      const stop = await keeping(1);
      const home = aPlacedJobStream();
      home.answers(2, created);
      home.seen(10, { isComplete: true });
      await applied([...home.events.slice(0, -1), complete('pi', member.uid), ...home.events.slice(-1)]);
      await caughtUp();
      await stop();
      expect(received.map(({ event }) => event.data.cluster)).toEqual(['east']);
    });

    it('receives no end of a member whose creation is recorded later than its end', async () => {
      const stop = await keeping(1);
      const home = aPlacedJobStream();
      home.answers(2, created);
      await applied([...home.events.slice(0, -1), complete('pi', member.uid), ...life('next')]);
      await eventually('the others are delivered, and the end waits', 20, async () =>
        names().join() === 'next' && (await waiting()).length === 1 ? true : undefined,
      );
      await applied(home.events.slice(-1));
      await caughtUp();
      await stop();
      expect(names()).toEqual(['next']);
    });

    it('receives a failed attempt of the member under the name of the placed Job, and no start of the member', async () => {
      const stop = await keeping(1, EVERY_TYPE);
      const home = aPlacedJobStream();
      home.answers(2, created);
      home.seen(10, { isComplete: true });
      const running = claimantSeen(3, { name: 'pi', uid: member.uid, status: { startTime: instant(3) } });
      const atHome = home.events.slice(0, -2);
      await applied([...atHome, running, memberPod(4, 'a'), ...home.events.slice(-2)]);
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual(['attempt-failed pi a', 'ended pi']);
      const [attempt] = received;
      expect(attempt?.event).toMatchObject({
        id: 'east/home-uid/uid-a/failed',
        source: 'jobledger/east',
        subject: 'default/pi',
        data: { cluster: 'east', uid: 'home-uid', attempt: { cluster: 'west', pod: 'a', exitCode: 3 } },
      });
    });

    it('receives a failed attempt under the name of the placed Job, although the creation of the member is recorded later', async () => {
      const stop = await keeping(1, { types: ['attempt-failed'] });
      const home = aPlacedJobStream();
      home.answers(2, created);
      const running = claimantSeen(3, { name: 'pi', uid: member.uid, status: { startTime: instant(3) } });
      await applied([...home.events.slice(0, -1), running, memberPod(4, 'a')]);
      await eventually('the attempt waits', 10, async () =>
        (await waiting()).length === 1 ? true : undefined,
      );
      await applied(home.events.slice(-1));
      await caughtUp();
      await stop();
      expect(received.map(({ event }) => event.id)).toEqual(['east/home-uid/uid-a/failed']);
    });

    it('receives the end of a Job that only claims to be a member', async () => {
      const stop = await keeping(1, { memberMs: 3000 });
      await applied([complete('forged', 'forged-uid'), ...life('next')]);
      await caughtUp();
      await stop();
      expect(names()).toEqual(['next', 'forged']);
    });

    it('receives the end of another Job while the ends of 60 Jobs that claim to be members wait, and each end once', async () => {
      const forged = Array.from({ length: 60 }, (_none, at) => `forged-${at}`);
      const stop = await keeping(2, { memberMs: 60_000 });
      const first = offset;
      await applied([...forged.map((name) => complete(name, name)), ...life('next')]);
      // The position moves only after the delivery.
      await eventually('the end of another Job is delivered', 50, async () =>
        names().includes('next') && (await waiting()).length === forged.length ? true : undefined,
      );
      expect([names(), await waiting()]).toEqual([
        ['next'],
        forged.map((_name, at) => `${first + BigInt(at)}`),
      ]);
      await stop();
      const later = await keeping(2, { memberMs: 0 });
      await caughtUp();
      await later();
      // The messages do not wait for each other, so several are delivered at the same time.
      expect(names()).toHaveLength(1 + forged.length);
      expect(new Set(names().slice(1))).toEqual(new Set(forged));
    });

    it('receives the waiting end of a Job that claims to be a member after a restart of the process', async () => {
      const first = await keeping(1);
      await applied([complete('forged', 'forged-uid'), ...life('next')]);
      await eventually('the end waits', 20, async () => ((await waiting()).length === 1 ? true : undefined));
      await first();
      expect(names()).toEqual(['next']);
      const second = await keeping(1, { memberMs: 100 });
      await caughtUp();
      await second();
      expect(names()).toEqual(['next', 'forged']);
    });
  });

  describe('about starts and failed attempts', () => {
    it('receives a message about the first start of a Job, and none about a resumption', async () => {
      const stop = await keeping(1, EVERY_TYPE);
      const times = [null, instant(1), instant(1), null, instant(9)];
      await applied(times.map((startTime, at) => begun('a', at + 1, startTime)));
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual(['started a']);
      expect(received[0]?.event).toMatchObject({
        id: 'east/a/started',
        data: { startedAt: new Date(instant(1)).toISOString(), labels: { team: 'maths' } },
      });
    });

    it('receives each failed attempt once, however the pod was observed before and after', async () => {
      const stop = await keeping(1, EVERY_TYPE);
      const failing = (name: string, version: number): JobEvent =>
        podObserved(version, anEndedPod({ name, version, exitCode: 3, endedAt: 20 }));
      await applied([
        jobObserved(1, aJob({ version: 1 })),
        podObserved(10, aPod({ name: 'a', version: 10 })),
        podObserved(11, aPod({ name: 'ab', version: 11 })),
        failing('a', 21),
        failing('a', 22),
        failing('ab', 23),
      ]);
      await caughtUp();
      await applied([failing('a', 30), podDeleted(31, { name: 'a', version: 31 })]);
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual(['attempt-failed pi a', 'attempt-failed pi ab']);
      expect(received[0]?.event).toMatchObject({
        id: 'east/job-1/uid-a/failed',
        subject: 'default/pi',
        data: { attempt: { cluster: 'east', exitCode: 3, reason: 'Error', why: 'exit code 3 (Error)' } },
      });
    });

    it('receives a message about a pod that disappeared, but not about a pod that succeeded or that Jobledger deleted', async () => {
      const stop = await keeping(1, EVERY_TYPE);
      const succeeded = anEndedPod({ name: 'done', version: 12, exitCode: 0, endedAt: 12 });
      await applied([
        jobObserved(1, aJob({ version: 1 })),
        ...['gone', 'ours', 'done'].map((name, at) => podObserved(2, aPod({ name, version: at + 2 }))),
        podObserved(12, succeeded),
        podDeleted(13, { name: 'done', version: 13, object: succeeded }),
        decided(14, 1, { commands: [deletePods('the Job is suspended', 'ours')] }),
        podDeleted(15, { name: 'ours', version: 15 }),
        podDeleted(16, { name: 'gone', version: 16, seen: false }),
      ]);
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual(['attempt-failed pi gone']);
    });

    it('receives no message about a failed pod that belongs to no Job', async () => {
      const stop = await keeping(1, EVERY_TYPE);
      const { data, ...event } = podObserved(
        3,
        anEndedPod({ name: 'orphan', version: 3, exitCode: 3, endedAt: 3 }),
      );
      await applied([withDigest<LedgerEvent>({ ...event, data: { ...data, jobUid: 'uid-orphan' } })]);
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual([]);
    });

    it('receives both messages about one record, in order, and receives them again when it refused the second message', async () => {
      let refusals = 1;
      chooseStatus = ({ type, data }) =>
        type === 'dev.jobledger.job.ended.v1' && data.name === 'job-29' && refusals-- > 0 ? 503 : undefined;
      const stop = await keeping(1, EVERY_TYPE);
      const complete = { type: 'Complete', status: 'True', lastTransitionTime: instant(5) } as const;
      const status = { startTime: instant(1), completionTime: instant(5), conditions: [complete] };
      // With this Job, the two messages about one record are on both sides of the 20 messages that are read at once.
      const alone = begun('alone', 1, instant(1));
      const jobs = Array.from({ length: 30 }, (_none, at) => `job-${at}`);
      const both = jobs.map((name, at) =>
        observed(at, aJob({ version: 1, metadata: { name, uid: name }, status })),
      );
      await applied([alone, ...both]);
      await caughtUp();
      await stop();
      const each = jobs.flatMap((name) => [`started ${name}`, `ended ${name}`]);
      expect(receivedMessages()).toEqual(['started alone', ...each, ...each.slice(-1)]);
    });

    it('receives only the messages that pass its filter', async () => {
      const filter = { ...EVERYTHING, labels: { team: 'maths' }, outcomes: ['Failed'] };
      const stop = await keeping(1, { ...EVERY_TYPE, filter });
      const failure = { type: 'Failed', status: 'True', reason: 'DeadlineExceeded' } as const;
      const failed = (name: string, team: string): JobEvent =>
        observed(
          9,
          aJob({
            version: 1,
            metadata: { name, uid: name, labels: { team } },
            status: { conditions: [failure] },
          }),
        );
      await applied([...life('complete'), failed('of-others', 'physics'), failed('ours', 'maths')]);
      await caughtUp();
      await stop();
      expect(receivedMessages()).toEqual(['ended ours']);
    });
  });

  it('receives the first end in a partition that was empty when the delivery began', async () => {
    const stop = await keeping(1);
    const [record] = toRecords([observed(1, sinkJob('first', true))]).map((each) => ({
      ...each,
      partition: 1,
    }));
    if (record === undefined) throw new Error('there is no record');
    await aProjector(postgres.database).project([record], 1);
    await eventually('it was delivered', 10, async () => (received.length > 0 ? true : undefined));
    await stop();
    expect(names()).toEqual(['first']);
  });

  it('receives the ends of a period in which no process delivered, but no ends from before its first process', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('away'));
    expect(received).toEqual([]);
    const stop = await keeping(1);
    await caughtUp();
    await stop();
    expect(names()).toEqual(['away']);
  });

  it('receives a message again that it answered with 503, and then the later messages in order', async () => {
    let refusals = 2;
    chooseStatus = ({ data: { name } }) => (name === 'b' && refusals-- > 0 ? 503 : undefined);
    const failures: number[] = [];
    const stop = await keeping(1, { onFailed: () => failures.push(1) });
    await applied([...life('a'), ...life('b'), ...life('c')]);
    await caughtUp();
    await stop();
    expect(names()).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(failures).toHaveLength(2);
  });

  it('receives the other messages of a namespace when it refuses one message with 400, 413 or 422', async () => {
    const statuses = [400, 413, 422];
    const left: unknown[] = [];
    chooseStatus = ({ data: { name, namespace } }) =>
      name.startsWith('hostile') ? Number(namespace) : undefined;
    const log = { ...silentLog(), error: (fields: unknown) => void left.push(fields) } as never;
    const stop = await keeping(1, { log });
    await applied(
      statuses.flatMap((status) => [
        ...life(`hostile-${status}`, String(status)),
        ...life(`quiet-${status}`, String(status)),
      ]),
    );
    await caughtUp();
    await stop();
    for (const status of statuses) {
      expect(names().filter((name) => name === `quiet-${status}`)).toHaveLength(1);
      // The message is sent three times in its queue, and three times after it was set aside.
      expect(names().filter((name) => name === `hostile-${status}`)).toHaveLength(6);
      expect(left).toContainEqual({
        sink: 'test',
        message: expect.stringMatching(new RegExp(`/hostile-${status}/ended$`)) as unknown,
        error: expect.stringContaining(`responds with status ${status}`) as unknown,
      });
    }
    expect(left).toHaveLength(statuses.length);
  });

  it('loses no message when it answers every message with 400 for a moment', async () => {
    let asked = 0;
    chooseStatus = () => ((asked += 1) < 5 ? 400 : undefined);
    const stop = await keeping(1);
    await applied([...life('a'), ...life('b')]);
    await caughtUp();
    await stop();
    // Before the fourth attempt with a message, the sink gets another message.
    expect(names()).toEqual(['a', 'a', 'a', 'b', 'a', 'b']);
  });

  it('receives messages of other namespaces while it accepts no message of one namespace, and later the waiting messages in order', async () => {
    let isTaken = false;
    chooseStatus = ({ data: { name } }) => (name.startsWith('hostile') && !isTaken ? 500 : undefined);
    const stop = await keeping(1);
    const startedAt = Date.now();
    const hostile = Array.from({ length: 150 }, (_none, at) => `hostile-${at}`);
    await applied([...hostile.flatMap((name) => life(name, 'hostile')), ...life('quiet')]);
    await eventually('the other is delivered, and those wait', 20, async () =>
      names().includes('quiet') && (await waiting()).length === 150 ? true : undefined,
    );
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    isTaken = true;
    received = [];
    await caughtUp();
    await stop();
    expect(names()).toEqual(hostile);
  });

  it('receives a message of another namespace while its answers to 25 namespaces are late for the second time', async () => {
    const late = new Set<() => void>();
    const taken: string[] = [];
    const stop = await keeping(1, {
      deliver: async ({ data }) => {
        if (data.namespace === 'default') return void taken.push(data.name);
        await new Promise<void>((resolve) => late.add(resolve));
        throw new Error('no answer');
      },
    });
    const hostile = Array.from({ length: 50 }, (_none, at) => `hostile-${at}`);
    await applied(hostile.flatMap((name, at) => life(name, `hostile-${at % 25}`)));
    // Each of the 25 namespaces has one delivery; when these have failed, 16 namespaces repeat theirs.
    await eventually('it answers 25 late', 30, async () => (late.size === 25 ? true : undefined));
    for (const end of late) end();
    await eventually('it answers 16 of them late', 30, async () =>
      late.size === 25 + 16 ? true : undefined,
    );
    await applied(life('quiet'));
    await eventually('it has the other', 10, async () => (taken.includes('quiet') ? true : undefined));
    expect(late.size).toBe(25 + 16);
    const ended = stop();
    for (const end of late) end();
    await ended;
  });

  it('receives no message from a process that gets a stop signal while the process claims the message', async () => {
    const ending = new AbortController();
    let sent = 0;
    const stop = await keeping(1, {
      database: {
        ...postgres.database,
        run: async (statement) => {
          const rows = await postgres.database.run(statement);
          if (statement.text.includes('for update of m skip locked') && rows.length > 0) ending.abort();
          return rows as never;
        },
      },
      deliver: async () => void (sent += 1),
      signal: ending.signal,
    });
    await applied(life('a'));
    await eventually('it has claimed the message', 30, async () => ending.signal.aborted || undefined);
    await stop();
    expect(sent).toBe(0);
    const [queued] = await queuesBehind(
      postgres.database.run,
      { sink: 'test', topic: TOPIC },
      { place: FIRST_PLACE, most: 1 },
    );
    expect(queued).toMatchObject({ isDue: true, failureCount: 0 });
  });

  it('receives a message of another namespace soon after the first late answers when its answers to 40 namespaces are late', async () => {
    const late: (() => void)[] = [];
    const sent: string[] = [];
    let isOver = false;
    const stop = await keeping(1, {
      deliver: async ({ data }) => {
        sent.push(data.namespace);
        if (data.namespace !== 'default' && !isOver) await new Promise<void>((resolve) => late.push(resolve));
      },
    });
    const slow = Array.from({ length: 400 }, (_none, at) => `slow-${at}`);
    await applied(slow.flatMap((name, at) => life(name, `slow-${at % 40}`)));
    await eventually('all wait, and it answers as many late as it is sent', 30, async () =>
      (await waiting()).length === slow.length && late.length === 32 ? true : undefined,
    );
    await applied(life('quiet'));
    await eventually('the other waits', 10, async () =>
      (await waiting()).length === slow.length + 1 ? true : undefined,
    );
    // Messages of eight namespaces were not sent yet.
    for (let at = 0; at < 9; at += 1) {
      late[at]?.();
      await eventually('the next one is sent', 10, async () => (sent.length > 32 + at ? true : undefined));
    }
    expect(sent.slice(32, 41)).toContain('default');
    isOver = true;
    const ended = stop();
    for (const end of late) end();
    await ended;
  });

  it('receives messages of other partitions while it answers the message of one partition with 503', async () => {
    let asked = 0;
    chooseStatus = ({ data: { name } }) => (name === 'hostile' && (asked += 1) > 0 ? 503 : undefined);
    const stop = await keeping(1);
    await applied(life('hostile'));
    await eventually('it has failed five times', 60, async () => (asked >= 5 ? true : undefined));
    await appliedBeside(life('quiet'));
    await eventually('it has the other', 30, async () => (names().includes('quiet') ? true : undefined));
    // The next attempt is due at least four seconds after the fifth attempt.
    expect(asked).toBe(5);
    await stop();
  });

  it('receives messages of other partitions while its answer to a message of one partition is late', async () => {
    const answer = Promise.withResolvers<void>();
    const delivering: string[] = [];
    const stop = await keeping(1, {
      deliver: async ({ data }) => {
        delivering.push(data.name);
        if (data.name === 'hostile') await answer.promise;
      },
    });
    await applied(life('hostile'));
    await eventually('it waits for the answer', 30, async () =>
      delivering.includes('hostile') ? true : undefined,
    );
    await appliedBeside(life('quiet'));
    await eventually('it has the other', 30, async () => (delivering.includes('quiet') ? true : undefined));
    expect(delivering).toEqual(['hostile', 'quiet']);
    answer.resolve();
    await stop();
  });

  it('receives a message again after it answered 401, 403, 404, 409, 429, 500 or 503, until it accepts the message', async () => {
    const statuses = [401, 403, 404, 409, 429, 500, 503].map(String);
    chooseStatus = ({ data: { name } }) =>
      names().filter((each) => each === name).length < 5 ? Number(name) : undefined;
    const stop = await keeping(1);
    await applied(statuses.flatMap((status) => life(status, status)));
    await caughtUp();
    await stop();
    expect(names().toSorted()).toEqual(statuses.flatMap((status) => Array.from({ length: 5 }, () => status)));
  });

  it('has messages of other partitions queued while a process hangs in the search of one partition', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('a'));
    await appliedBeside(life('b'));
    const { database } = postgres;
    const key = { sink: 'test', topic: TOPIC };
    const { signal } = new AbortController();
    const searching = { database, key, types: ['ended'], filter: EVERYTHING, signal } as const;
    const before = await positions();
    await database.transaction(async (run) => {
      await lockSpan(run, key, 0);
      await moveSinkPosition(run, key, { partition: 0, next: offset });
      await searchLedger(searching);
    });
    // Only the first partition was moved by the transaction.
    expect([before, await positions()]).toEqual([
      [String(offset - 3n)],
      [String(offset), String(life('b').length)],
    ]);
    expect(await waiting()).toHaveLength(1);
  });

  it('receives messages of other partitions while the search of one partition fails', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('a'));
    await appliedBeside(life('b'));
    const { database } = postgres;
    const broken: SinkDependencies['database'] = {
      ...database,
      transaction: (work) =>
        database.transaction((run) =>
          work((statement) =>
            statement.text.includes('with shown') && statement.values.includes(0)
              ? Promise.reject(new Error('it cannot be searched'))
              : run(statement),
          ),
        ),
    };
    const stop = await keeping(1, { database: broken });
    try {
      await eventually('it has the other', 20, async () => (names().includes('b') ? true : undefined));
    } finally {
      await stop();
    }
    expect(names()).toEqual(['b']);
  });

  it('has further messages queued while another transaction records a delivery', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('a'));
    const { database } = postgres;
    const key = { sink: 'test', topic: TOPIC };
    const { signal } = new AbortController();
    const searching = { database, key, types: ['ended'], filter: EVERYTHING, signal } as const;
    await searchLedger(searching);
    const [message] = await queuesBehind(database.run, key, { place: FIRST_PLACE, most: 1 });
    if (message === undefined) throw new Error('no message waits');
    await applied(life('b'));
    await database.transaction(async (run) => {
      await removeMessage(run, key, message);
      await searchLedger(searching);
    });
    expect(await positions()).toEqual([String(offset)]);
    expect(await waiting()).toHaveLength(1);
  });

  it('does not receive waiting messages of a type that was removed from its settings', async () => {
    const failing = () => Promise.reject(new Error('no answer'));
    const first = await keeping(1, { ...EVERY_TYPE, deliver: failing });
    await applied([begun('a', 1, instant(1)), ...life('b')]);
    await eventually('both wait', 10, async () => ((await waiting()).length === 2 ? true : undefined));
    await first();
    const second = await keeping(1);
    await caughtUp();
    await second();
    expect(receivedMessages()).toEqual(['ended b']);
  });

  it('receives every end once when two processes deliver', async () => {
    const stop = await keeping(2);
    const all = Array.from({ length: 50 }, (_none, at) => `job-${at}`);
    await applied(all.flatMap((name) => life(name)));
    await caughtUp();
    await stop();
    expect(names()).toEqual(all);
  });

  it('receives an end again when the process crashed before it recorded the delivery', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('a'));
    const { database } = postgres;
    const broken: SinkDependencies['database'] = {
      ...database,
      run: (statement) =>
        statement.text.includes('delete from jobledger.sink_messages')
          ? Promise.reject(new Error('the process ended'))
          : database.run(statement),
    };
    const stopBroken = await keeping(1, { database: broken, claimMs: 1000 });
    await eventually('it was delivered', 10, async () => (received.length > 0 ? true : undefined));
    await stopBroken();
    const stop = await keeping(1);
    await caughtUp();
    await stop();
    expect(new Set(names())).toEqual(new Set(['a']));
    expect(received.length).toBeGreaterThan(1);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
  });

  it('receives its token, and the errors of a delivery show neither the token nor the URL', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'jobledger-sink-')), 'token');
    writeFileSync(file, 'the-token\n');
    chooseStatus = () => 403;
    const event = { id: 'a', data: { name: 'a' } } as JobEnded;
    const signal = new AbortController().signal;
    const catchFailure = async (to: Partial<HttpSink>): Promise<string> =>
      delivered({ token: { file }, ...to }, event, signal).then(
        () => 'delivered',
        (error: unknown) => errorMessage(error),
      );
    const refused = await catchFailure({});
    expect(refused).toMatch(/^127\.0\.0\.1:\d+ responds with status 403$/);
    expect(received[0]?.token).toBe('Bearer the-token');
    const away = await catchFailure({ url: 'http://127.0.0.1:1/hook?key=secret' });
    expect(away).toMatch(/^127\.0\.0\.1:1 cannot be reached/);
    const withPassword = await catchFailure({ url: 'http://user:secret@127.0.0.1:1/hook' });
    expect(withPassword).toBe('url: contains a user or a password, which must be in a header');
    writeFileSync(file, 'the-token\nof two lines');
    const twoLines = await catchFailure({});
    expect(twoLines).toBe('token: contains characters that a header cannot have');
    expect(refused + away + withPassword + twoLines).not.toMatch(/secret|the-token/);
  });
});
