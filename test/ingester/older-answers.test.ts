import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { lastOlderAnswer, type OlderAnswer } from '../../services/live-topic/older-answer.ts';
import { watchName } from '../../services/shards/watch-names.ts';
import { followWorkerWrites } from '../../services/ingester/epochs/follow-worker-writes.ts';
import { createLastWritten, unseenWritesSince } from '../../services/ingester/epochs/last-written.ts';
import { createVersionCheck } from '../../services/ingester/epochs/version-check.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { CLUSTER, jobObject } from '../support/builders.ts';
import { aCollection } from './a-collection.ts';

function answer(uid: string, resourceVersion: string, epoch = 0, namespace = 'default'): OlderAnswer {
  return { epoch, resource: 'jobs', namespace, name: uid, uid, resourceVersion };
}

/** A decision that writes a status, and the outcome of this write. */
function written(
  id: string,
  object: OlderAnswer,
  { epoch, field = 'job' }: { epoch?: number; field?: 'job' | 'cronJob' } = {},
): LedgerEvent[] {
  const { namespace, name, uid, resourceVersion } = object;
  const commands = [
    { kind: 'ReleasePods' },
    { kind: 'WriteStatus', resourceVersion: '1', ...(epoch !== undefined && { epoch }) },
  ];
  const shown = { [field]: { namespace, name, uid, resourceVersion } };
  const outcome = { kind: 'WriteStatus', result: 'written', ...shown };
  return [
    { id, type: 'job.decided', data: { cluster: CLUSTER, jobUid: uid, commands } },
    {
      id: `${id}/1`,
      type: 'outcome.recorded',
      data: { cluster: CLUSTER, jobUid: uid, decision: id, command: 1, attempt: 1, outcome },
    },
  ] as unknown as LedgerEvent[];
}

describe('the objects that workers wrote last', () => {
  const lastOf = (
    epoch: number,
    events: readonly LedgerEvent[],
    concerns: (each: OlderAnswer) => boolean = () => true,
  ): OlderAnswer[] => {
    const last = createLastWritten({ epoch, concerns });
    for (const event of events) last.note(event);
    return last.all();
  };

  it('are the objects with the five highest versions, each in its newest version', () => {
    const events = ['8', '9', '10', '11', '12', '13'].flatMap((version) =>
      written(`decision-${version}`, answer(`uid-${version}`, version)),
    );
    const again = written('again', answer('uid-9', '14'));
    const found = lastOf(0, [...events, ...again]).map((each) => `${each.uid} at ${each.resourceVersion}`);
    expect(found.toSorted()).toEqual([
      'uid-10 at 10',
      'uid-11 at 11',
      'uid-12 at 12',
      'uid-13 at 13',
      'uid-9 at 14',
    ]);
  });

  it('belong to the present epoch only', () => {
    const events = [
      ...written('before', answer('a', '900')),
      ...written('now', answer('b', '500'), { epoch: 2 }),
    ];
    expect(lastOf(2, events)).toEqual([answer('b', '500', 2)]);
    expect(lastOf(0, events)).toEqual([answer('a', '900')]);
  });

  it('are read since the oldest position of a watch, but since five minutes before the newest position when a watch was refused for long', () => {
    const at = (time: string, epoch?: number) => ({
      resourceVersion: '1',
      time: `2026-03-01T${time}Z`,
      ...(epoch !== undefined && { epoch }),
    });
    const since = (positions: Parameters<typeof unseenWritesSince>[0], epoch = 0): string | null => {
      const found = unseenWritesSince(positions, epoch);
      return found === null ? null : new Date(found).toISOString();
    };
    expect(since({ jobs: at('12:00:10'), pods: at('12:00:00') })).toBe('2026-03-01T12:00:00.000Z');
    expect(
      since({ [watchName('jobs', 'a')]: at('02:00:00'), [watchName('jobs', 'b')]: at('12:00:00') }),
    ).toBe('2026-03-01T11:55:00.000Z');
    expect(since({ jobs: at('12:00:10', 1), pods: at('12:00:00') }, 1)).toBe('2026-03-01T12:00:10.000Z');
    expect([since({}), since({ jobs: at('12:00:00') }, 1)]).toEqual([null, null]);
  });

  it('belong to the watched part of the cluster, however many objects are written elsewhere', () => {
    const elsewhere = ['951', '952', '953', '954', '955'].flatMap((version) =>
      written(`decision-${version}`, answer(`uid-${version}`, version, 0, 'team-b')),
    );
    const events = [...written('mine', answer('mine', '900', 0, 'team-a')), ...elsewhere];
    expect(lastOf(0, events, ({ namespace }) => namespace === 'team-a')).toEqual([
      answer('mine', '900', 0, 'team-a'),
    ]);
  });

  it('exclude an object whose outcome has no version', () => {
    const [decision, outcome] = written('decision', answer('a', '900'));
    const broken = structuredClone(outcome) as unknown as { data: { outcome: { job: object } } };
    broken.data.outcome.job = {};
    expect(lastOf(0, [decision, broken] as unknown as LedgerEvent[])).toEqual([]);
  });

  it('include CronJobs', () => {
    expect(lastOf(0, written('cron', answer('c', '7'), { field: 'cronJob' }))).toEqual([
      { ...answer('c', '7'), resource: 'cronjobs' },
    ]);
  });
});

const BACKOFF = { firstMs: 1, longestMs: 1 };

/** An API server that has Job `a` at version 850 and is itself at version 1000, and the epochs that begin. */
function restoredServer(stopped: AbortController) {
  const collection = aCollection<Job>(CLUSTER);
  collection.at('1000');
  collection.hold(jobObject({ uid: 'a', version: '850' }));
  const begun: { from: string; to: string }[] = [];
  const checkVersion = createVersionCheck({
    client: collection.client,
    begin: async (restored) => {
      begun.push(restored);
      stopped.abort();
    },
    requireSame: () => Promise.resolve(),
    signal: stopped.signal,
  });
  const check = (each: OlderAnswer): Promise<unknown> => {
    const path = '/played/jobs';
    return checkVersion({ resource: 'jobs', path, resourceVersion: '0', objects: [{ ...each, path }] });
  };
  return { begun, check };
}

/** Follows until a new epoch begins, or until nothing happens in 50 looks after the last comparison; returns what began. */
async function followed({
  last = [],
  reports = [],
  concerns = () => true,
  refusals = {},
}: {
  last?: OlderAnswer[];
  reports?: OlderAnswer[];
  concerns?: (each: OlderAnswer) => boolean;
  /** The number of failed comparisons by UID. */
  refusals?: Record<string, number>;
}): Promise<{ begun: { from: string; to: string }[]; compared: string[] }> {
  const stopped = new AbortController();
  const { begun, check } = restoredServer(stopped);
  const compared: string[] = [];
  const left = { ...refusals };
  let [looks, quiet] = [0, 0];
  await followWorkerWrites({
    cluster: CLUSTER,
    readWritten: () => Promise.resolve(last),
    reported() {
      looks += 1;
      quiet += 1;
      if (quiet > 50) stopped.abort();
      return reports[Math.min(looks, reports.length) - 1] ?? null;
    },
    concerns,
    async check(each) {
      quiet = 0;
      left[each.uid] = (left[each.uid] ?? 0) - 1;
      if ((left[each.uid] ?? 0) >= 0) throw new UnavailableError('connection refused');
      compared.push(each.uid);
      return check(each);
    },
    log: silentLog(),
    signal: stopped.signal,
    pollMs: 1,
    backoff: BACKOFF,
  });
  return { begun, compared };
}

const RESTORED = [{ from: '900', to: '850' }];

describe('a restore of an API server that has lost only writes of workers', () => {
  it('is detected by the objects that workers wrote last before the term', async () => {
    const { begun } = await followed({ last: [answer('gone', '950'), answer('a', '900')] });
    expect(begun).toEqual(RESTORED);
  });

  it('is detected by the object that a worker reports later', async () => {
    const { begun } = await followed({ reports: [answer('gone', '950'), answer('a', '900')] });
    expect(begun).toEqual(RESTORED);
  });

  it('is detected although the API server does not answer at first', async () => {
    const failing = { refusals: { a: 2 } };
    expect((await followed({ last: [answer('a', '900')], ...failing })).begun).toEqual(RESTORED);
    expect((await followed({ reports: [answer('a', '900')], ...failing })).begun).toEqual(RESTORED);
  });

  it('is detected although another object can never be compared', async () => {
    const refused = { refusals: { refused: Infinity } };
    const last = [answer('refused', '950'), answer('a', '900')];
    expect((await followed({ last, ...refused })).begun).toEqual(RESTORED);
    const reports = [answer('a', '900')];
    expect((await followed({ last: last.slice(0, 1), reports, ...refused })).begun).toEqual(RESTORED);
  });

  it('is not assumed when an object has the written version or a newer version or is deleted, and each object is compared once', async () => {
    const { begun, compared } = await followed({
      last: [answer('a', '850')],
      reports: [answer('a', '840'), answer('a', '840'), answer('gone', '950')],
    });
    expect([begun, compared.toSorted()]).toEqual([[], ['a', 'a', 'gone']]);
  });

  it('is not assumed for an object of another epoch or of a namespace that is not watched', async () => {
    const { begun, compared } = await followed({
      last: [answer('a', '900', 1)],
      reports: [answer('a', '900', 1)],
      concerns: ({ epoch }) => epoch === 0,
    });
    expect([begun, compared]).toEqual([[], []]);
  });
});

describe('the search for a restore that has lost only writes of workers', () => {
  it('ends with the term of the leader, also while the ledger is read', async () => {
    const stopped = new AbortController();
    const following = followWorkerWrites({
      cluster: CLUSTER,
      readWritten: () => new Promise(() => undefined),
      reported: () => null,
      concerns: () => true,
      check: () => Promise.resolve(),
      log: silentLog(),
      signal: stopped.signal,
    });
    stopped.abort();
    await expect(following).resolves.toBeUndefined();
  });

  it('warns once, and not at each attempt, when an object cannot be compared', async () => {
    const stopped = new AbortController();
    const warnings: object[] = [];
    let attempts = 0;
    await followWorkerWrites({
      cluster: CLUSTER,
      readWritten: () => Promise.resolve([]),
      reported: () => answer('a', '900'),
      concerns: () => true,
      async check() {
        attempts += 1;
        if (attempts === 5) stopped.abort();
        throw new UnavailableError('jobs.batch is forbidden');
      },
      log: { ...silentLog(), warn: (fields: object) => void warnings.push(fields) } as never,
      signal: stopped.signal,
      pollMs: 1,
      backoff: BACKOFF,
    });
    expect(warnings).toEqual([
      expect.objectContaining({ cluster: CLUSTER, name: 'a', error: 'jobs.batch is forbidden' }),
    ]);
  });
});

describe('the report of a worker about its last write', () => {
  it('is read from the records of the installation, and is empty when it is missing or unreadable', () => {
    const value = answer('a', '900', 2);
    const records = new Map([
      [`older/${CLUSTER}`, JSON.stringify(value)],
      ['older/west', '{"epoch":'],
      ['older/north', '{"epoch":1}'],
    ]);
    expect(lastOlderAnswer(CLUSTER, records)).toEqual(value);
    expect(['west', 'north', 'south'].map((cluster) => lastOlderAnswer(cluster, records))).toEqual([
      null,
      null,
      null,
    ]);
  });
});
