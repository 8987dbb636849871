import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messageOf } from '../../services/adapters/errors.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { bodyOf } from '../../services/projector/sink/bodies/body.ts';
import { deliver } from '../../services/projector/sink/deliver.ts';
import { EVERYTHING } from '../../services/projector/sink/filter.ts';
import { keepSink, type SinkDependencies } from '../../services/projector/sink/keep-sink.ts';
import type { JobEnded, JobMessage } from '../../services/projector/sink/message.ts';
import type { HttpSink } from '../../services/projector/sink/target.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  recordsOf,
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

/** What the sink was sent, in order, whether it took it or not. */
let received: { event: JobEnded; type: string | undefined; token: string | undefined }[];
/** The status of each response; 200 when it returns undefined. */
let statusOf: (event: JobEnded) => number | undefined;
/** The next record's offset. */
let offset: bigint;

beforeAll(async () => {
  postgres = await startPostgres();
  sink = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const event = JSON.parse(text) as JobEnded;
      const { 'content-type': type, authorization: token } = request.headers;
      received.push({ event, type, token });
      response.writeHead(statusOf(event) ?? 200).end();
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
  [received, statusOf, offset] = [[], () => undefined, 0n];
  await emptied(postgres.database);
  // A sink begins with what happens after it began.
  await applied([observed(0, jobOf('before', true))]);
});

function jobOf(name: string, hasEnded: boolean, version = hasEnded ? 2 : 1): ReturnType<typeof aJob> {
  const condition = { type: 'Complete', status: 'True', lastTransitionTime: '2026-04-01T00:00:05Z' } as const;
  return aJob({
    version,
    metadata: { name, uid: name },
    status: { succeeded: hasEnded ? 1 : 0, ...(hasEnded && { conditions: [condition] }) },
  });
}

function observed(at: number, job: ReturnType<typeof aJob>): JobEvent {
  const { name, uid } = job.metadata;
  return withDigest({ ...jobObserved(at, job, uid), subject: `default/${name}` });
}

/** A Job that was seen running, then ended, then changed once more. */
function life(name: string): JobEvent[] {
  return [jobOf(name, false), jobOf(name, true), jobOf(name, true, 3)].map((job, at) =>
    observed(at + 1, job),
  );
}

async function applied(events: readonly LedgerEvent[]): Promise<void> {
  const records = recordsOf(events).map((record) => ({ ...record, offset: offset + record.offset }));
  offset += BigInt(records.length);
  await aProjector(postgres.database).project(records);
}

function delivered(to: Partial<HttpSink>, message: JobMessage, signal: AbortSignal): Promise<void> {
  const body = bodyOf(message, { kind: 'cloudevent', page: null, now: 0 });
  const sink = { url, token: null, headers: {}, secret: null, withoutTls: true, ...to };
  return deliver(sink, { id: message.id, body }, signal);
}

/** Runs processes that keep the sink, until the returned function is called. */
async function keeping(count: number, changed: Partial<SinkDependencies> = {}): Promise<() => Promise<void>> {
  const ending = new AbortController();
  const kept = Array.from({ length: count }, () =>
    keepSink({
      database: postgres.database,
      key: { sink: 'test', topic: TOPIC },
      moments: ['ended'],
      filter: EVERYTHING,
      deliver: (message) => delivered({ url }, message, ending.signal),
      onDelivered: () => undefined,
      onFailed: () => undefined,
      log: silentLog(),
      signal: ending.signal,
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

const caughtUp = (): Promise<true> =>
  eventually('the sink has caught up', 30, async () =>
    (await positions()).join() === String(offset) ? true : undefined,
  );

const names = (): string[] => received.map(({ event }) => event.data.name);

describe('a sink', () => {
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

  describe('of a placed Job', () => {
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

    it('receives its end, and not that of its member', async () => {
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
      await eventually('the end is found', 10, async () =>
        Number((await positions())[0]) === home.events.length ? true : undefined,
      );
      await applied(home.events.slice(-1));
      await caughtUp();
      await stop();
      expect(names()).toEqual(['next']);
    });

    it('receives the end of a Job that only says that it is a member', async () => {
      const stop = await keeping(1, { memberMs: 500 });
      await applied([complete('forged', 'forged-uid'), ...life('next')]);
      await caughtUp();
      await stop();
      expect(names()).toEqual(['forged', 'next']);
    });
  });

  it('receives what happened while nothing delivered, and begins anew with nothing', async () => {
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

  it('that does not take an event gets it again, and then the others in order', async () => {
    let refusals = 2;
    statusOf = ({ data: { name } }) => (name === 'b' && refusals-- > 0 ? 503 : undefined);
    const failures: number[] = [];
    const stop = await keeping(1, { onFailed: () => failures.push(1) });
    await applied([...life('a'), ...life('b'), ...life('c')]);
    await caughtUp();
    await stop();
    expect(names()).toEqual(['a', 'b', 'b', 'b', 'c']);
    expect(failures).toHaveLength(2);
  });

  it('receives every end once from two processes', async () => {
    const stop = await keeping(2);
    const all = Array.from({ length: 50 }, (_none, at) => `job-${at}`);
    await applied(all.flatMap(life));
    await caughtUp();
    await stop();
    expect(names()).toEqual(all);
  });

  it('receives an end again when the process ended before it was recorded as delivered', async () => {
    await (
      await keeping(1)
    )();
    await applied(life('a'));
    const { database } = postgres;
    const broken: SinkDependencies['database'] = {
      ...database,
      transaction: (work) =>
        database.transaction(async (run) => {
          await work(run);
          throw new Error('the process ended');
        }),
    };
    const stopBroken = await keeping(1, { database: broken });
    await eventually('it was delivered', 10, async () => (received.length > 0 ? true : undefined));
    await stopBroken();
    const stop = await keeping(1);
    await caughtUp();
    await stop();
    expect(new Set(names())).toEqual(new Set(['a']));
    expect(received.length).toBeGreaterThan(1);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
  });

  it('is sent its token, and an error shows neither token nor URL', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'jobledger-sink-')), 'token');
    writeFileSync(file, 'the-token\n');
    statusOf = () => 403;
    const event = { id: 'a', data: { name: 'a' } } as JobEnded;
    const signal = new AbortController().signal;
    const failureOf = async (to: Partial<HttpSink>): Promise<string> =>
      delivered({ token: { file }, ...to }, event, signal).then(
        () => 'delivered',
        (error: unknown) => messageOf(error),
      );
    const refused = await failureOf({});
    expect(refused).toMatch(/^127\.0\.0\.1:\d+ responds with status 403$/);
    expect(received[0]?.token).toBe('Bearer the-token');
    const away = await failureOf({ url: 'http://127.0.0.1:1/hook?key=secret' });
    expect(away).toMatch(/^127\.0\.0\.1:1 cannot be reached/);
    const withPassword = await failureOf({ url: 'http://user:secret@127.0.0.1:1/hook' });
    expect(withPassword).toBe('url: contains a user or a password: give them in a header');
    writeFileSync(file, 'the-token\nof two lines');
    const twoLines = await failureOf({});
    expect(twoLines).toBe('token: contains characters that a header cannot have');
    expect(refused + away + withPassword + twoLines).not.toMatch(/secret|the-token/);
  });
});
