import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { assert, constantFrom, bigInt, oneof, property, record } from 'fast-check';
import { decodeEvent, encodeEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import { stringifyExact } from '../../services/adapters/exact-json.ts';
import { readContent } from '../../cli/verbs/import/content.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { readRecords } from '../../services/projector/read-records.ts';
import { CRON_JOB_CORES, JOB_CORES } from '../../workflows/cores/cores.ts';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { JOB } from '../../workflows/job/kind.ts';
import { recalledForm } from '../../workflows/record/recalled.ts';
import { foldStart } from '../../workflows/record/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aRunJob } from './stories.ts';
import { CLUSTER, JOB_UID, jobObject, podObject, START } from '../support/builders.ts';
import { lastSnapshot, withSnapshots } from '../support/snapshots.ts';

/** "For ever", as people write it. */
const LARGEST = 2n ** 63n - 1n;

/** A Job as the API admits it: the builders' fields are numbers. */
type Integers = Readonly<Record<string, bigint>>;

const asFields = (integers: Integers): object => integers;

/** What the ledger gives back. */
function readBack(stream: readonly JobEvent[]): JobEvent[] {
  return stream.map((event) => decodeEvent(encodeEvent(event).value) as JobEvent);
}

function projectRows(stream: readonly JobEvent[]): Rows {
  const rows = emptyRows();
  const records = stream.map((event, offset) => ({
    partition: 0,
    offset: BigInt(offset),
    key: '',
    value: Buffer.from(encodeEvent(event).value),
  }));
  const { events, deadLetters } = readRecords(records);
  expect(deadLetters).toEqual([]);
  projectAll(
    rows,
    events.map(({ event }) => event),
  );
  return rows;
}

const deadlineIn = (rows: Rows): unknown => [...rows.jobs.changed.values()][0]?.active_deadline_seconds;

describe('a Job that may run for ever (activeDeadlineSeconds: 9223372036854775807)', () => {
  const ended = aRunJob(asFields({ activeDeadlineSeconds: LARGEST }));

  it('is verified, with its snapshots', async () => {
    const stream = withSnapshots(readBack(await ended), 3);
    expect(verifyStream(readBack(stream))).toMatchObject({ unchecked: 0, findings: [] });
  });

  it('is read from the ledger into a state on which every core can decide', async () => {
    const stream = readBack(await ended);
    const { state } = lastSnapshot(stream)?.data ?? {};
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    const start = foldStart(
      JOB,
      readBack(withSnapshots(stream, 3)).map((event) => recalledForm(JOB, event)),
      true,
    );
    expect(JSON.stringify(start)).toContain('"activeDeadlineSeconds":9223372036854776000');
  });

  it('has its deadline in SQL, to the last digit', async () => {
    expect(deadlineIn(projectRows(await ended))).toBe('9223372036854775807');
  });

  it('has a history and an answer to what-if', async () => {
    const stream = readBack(await ended);
    const narrate = createNarrator(new Set());
    expect(stream.flatMap((event) => narrate(event)).length).toBeGreaterThan(5);
    expect(whatIf(stream, { backoffLimit: 3 })).toMatchObject({ comparison: 'same' });
  });

  it('is imported with the values that were exported', async () => {
    const stream = await ended;
    async function* lines(): AsyncGenerator<{ number: number; text: string }> {
      for (const [number, event] of stream.entries()) yield { number, text: encodeEvent(event).value };
    }
    const content = await readContent(lines());
    expect(stream.map(({ id }) => content.index.digests(id))).toEqual(stream.map(({ digest }) => [digest]));
  });
});

describe('an integer that the Kubernetes API admits', () => {
  const integer = oneof(
    constantFrom(LARGEST, 2n ** 53n, 2n ** 53n + 1n, 2n ** 31n - 1n, 1n),
    bigInt({ min: 1n, max: LARGEST }),
  );

  it('is readable by every reader of a Job, and every core makes decisions with it', () => {
    assert(
      property(
        record({ activeDeadlineSeconds: integer, generation: integer, grace: integer }),
        ({ activeDeadlineSeconds, generation, grace }) => {
          const job = jobObject(asFields({ activeDeadlineSeconds, generation }));
          const pod = podObject({ deleted: 5, grace: 1 });
          Object.assign(pod.metadata, { deletionGracePeriodSeconds: grace });
          Object.assign(pod.status ?? {}, { observedGeneration: generation });
          const of = { cluster: CLUSTER, jobUid: JOB_UID };
          const stream = readBack([
            factEvent('job.observed', { ...of, object: job }),
            factEvent('pod.observed', { ...of, object: pod }),
          ]);
          expect(verifyStream(stream).findings).toEqual([]);
          expect(deadlineIn(projectRows(stream))).toBe(String(activeDeadlineSeconds));
          for (const core of JOB_CORES.all) {
            const facts = stream.flatMap((event) => core.compact(event) ?? []);
            const plan = core.decide(core.fold(core.INITIAL_STATE, facts), START, DEFAULT_SETTINGS);
            expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
          }
        },
      ),
    );
  });
});

/** The recorded integer fields of the API's own schema; test/integration/secrets.test.ts compares the list with it. */
const FIELDS = readFileSync('test/golden/recorded-fields/integers.txt', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [kind = '', path = '', format = ''] = line.split(' ');
    return { kind, path: path.split('.'), value: format === 'int64' ? LARGEST : 2n ** 31n - 1n };
  });

/** Sets a field; each list in the path gets one element, each map one entry. */
function setAt(
  object: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: bigint,
): void {
  const name = first.replace('[]', '');
  if (rest.length === 0) object[name] = first.endsWith('[]') ? [value] : value;
  else if (first.endsWith('[]')) {
    const list = (object[name] ??= [{}]) as Record<string, unknown>[];
    if (list.length === 0) list.push({});
    setAt(list[0] ?? {}, rest, value);
  } else setAt((object[name] ??= {}) as Record<string, unknown>, rest, value);
}

/** An object with the largest value in every integer field that is recorded. */
function largest<T extends object>(kind: string, object: T): T {
  for (const field of FIELDS.filter((each) => each.kind === kind))
    setAt(object as Record<string, unknown>, field.path, field.value);
  return object;
}

describe('the largest value of every integer field', () => {
  it('is readable by every reader of Jobs, pods and CronJobs', () => {
    const of = { cluster: CLUSTER, jobUid: JOB_UID };
    const job = largest('job', jobObject());
    const pod = largest('pod', podObject({ deleted: 5, phase: 'Failed' }));
    const { metadata } = jobObject();
    const spec = { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: { containers: [] } } } } };
    const cronJob = largest('cronjob', { metadata: { ...metadata, uid: 'cron' }, spec, status: {} });
    const written = [
      factEvent('job.observed', { ...of, object: job }),
      factEvent('pod.observed', { ...of, object: pod }),
    ];
    const stream = readBack(written);
    expect(stream.map(({ data }) => stringifyExact(data))).toEqual(
      written.map(({ data }) => stringifyExact(data)),
    );
    expect(verifyStream(stream).findings).toEqual([]);
    expect(deadlineIn(projectRows(stream))).toBe(String(LARGEST));
    for (const core of JOB_CORES.all) {
      const facts = stream.flatMap((event) => core.compact(event) ?? []);
      const state = core.fold(core.INITIAL_STATE, facts);
      expect(JSON.parse(JSON.stringify(core.decide(state, START, DEFAULT_SETTINGS)))).toBeTruthy();
    }
    const ofCron = { cluster: CLUSTER, cronJobUid: 'cron' };
    const cronStream = readBack([factEvent('cronjob.observed', { ...ofCron, object: cronJob })]);
    expect(verifyStream(cronStream).findings).toEqual([]);
    expect([...projectRows(cronStream).cronJobs.changed.values()][0]?.starting_deadline_seconds).toBe(
      String(LARGEST),
    );
    const facts = cronStream.flatMap((event) => CRON_JOB_CORES.present.compact(event as never) ?? []);
    expect(JSON.parse(JSON.stringify(facts))).toHaveLength(1);
  });
});

describe('a stream that a core cannot read', () => {
  it('fails the verification of its own object, never the verification of the whole ledger', async () => {
    const stream = await aRunJob({});
    const broken = stream.map((event) =>
      event.type === 'job.observed'
        ? withDigest({ ...event, data: { ...event.data, object: {} } } as JobEvent)
        : event,
    );
    const { findings } = verifyStream(broken);
    expect(findings[0]?.message).toMatch(/^job.observed cannot be checked: /);
  });
});

function factEvent(type: 'job.observed' | 'pod.observed' | 'cronjob.observed', data: object): JobEvent {
  return withDigest({
    id: type,
    type,
    source: CLUSTER,
    subject: 'default/pi',
    time: '2026-03-01T12:00:00.000Z',
    data,
  } as JobEvent);
}
