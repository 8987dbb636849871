import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { removeEndedJobs, storeHorizon } from '../../services/projector/horizon/remove-ended.ts';
import { dropMonthsBefore } from '../../services/projector/months.ts';
import type { Places } from '../../services/adapters/places.ts';
import type { PageCursor } from '../../services/api/cursor.ts';
import {
  cronJobsPage,
  eventsOfCronJob,
  selectSkippedStarts,
  startsOfCronJob,
} from '../../services/api/queries/cron-jobs.ts';
import type { CronJobRunView, CronJobView } from '../../services/read-model/views/cron-jobs.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { findComingStarts } from '../../services/read-model/queries/coming-starts.ts';
import { findCronJob } from '../../services/read-model/queries/cron-jobs.ts';
import { aWorld, change, finish, runUntil, UID, work } from '../cron-job/world.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import {
  aProjector,
  emptied,
  toRecords,
  rowsIn,
  startPostgres,
  TABLES,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

const LIFE = aCronJobLife();
const STORY = aStory();
const OF_CRON_JOBS = TABLES.filter((table) => table.startsWith('cron_job'));

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  await aProjector(database).project(toRecords([...STORY, ...LIFE]));
});

async function selected<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
  return database.run<Row>({ text, values });
}

/** Returns the instants at which something was recorded. */
function instants(): string[] {
  return [...new Set(LIFE.map(({ time }) => time))];
}

/** Returns from the events alone what had been observed of the CronJob by an instant. */
function seenBy(at: string): { schedule: string; version: string; deleted: boolean } | null {
  const events = LIFE.filter(({ time }) => time <= at);
  const observed = events.findLast((event) => event.type === 'cronjob.observed');
  if (observed?.type !== 'cronjob.observed') return null;
  const { spec, metadata } = observed.data.object;
  const deleted = events.some(({ type }) => type === 'cronjob.deleted');
  return { schedule: spec.schedule, version: metadata.resourceVersion, deleted };
}

/** Returns the event as if a start that was carried out had got no answer. */
function withoutAnswer(event: CronJobEvent, what: string): CronJobEvent[] {
  if (event.type !== 'outcome.recorded') return [event];
  const { outcome } = event.data;
  if (outcome.kind !== 'CreateJob' || outcome.result !== 'created') return [event];
  if (what === 'no outcome') return [];
  return [
    {
      ...event,
      data: {
        ...event.data,
        outcome: {
          kind: outcome.kind,
          at: outcome.at,
          result: 'unknown',
          after: outcome.job.resourceVersion,
        },
      },
    },
  ];
}

describe('the history of a CronJob in SQL', () => {
  it('has every event of the stream, in the order of the ledger', async () => {
    const rows = await selected<{ id: string; type: string; cron_job_name: string }>(
      'select id, type, cron_job_name from jobledger.cron_job_events order by kafka_offset',
    );
    expect(rows).toEqual(LIFE.map(({ id, type }) => ({ id, type, cron_job_name: 'tick' })));
    expect(new Set(rows.map(({ type }) => type)).size).toBeGreaterThan(4);
  });

  it('does not change the tables of Jobs', async () => {
    const both = await rowsIn(database);
    await emptied(database);
    await aProjector(database).project(toRecords(STORY));
    const alone = await rowsIn(database);
    for (const table of TABLES.filter((each) => !OF_CRON_JOBS.includes(each) && each !== 'event_ids'))
      expect(both[table]).toEqual(alone[table]);
    for (const table of OF_CRON_JOBS) {
      expect(both[table]).not.toEqual([]);
      expect(alone[table]).toEqual([]);
    }
  });

  it('shows each start once, with its result and its delay', async () => {
    const runs = await selected<{ scheduled_at: string; result: string; job_name: string; late: number }>(
      'select scheduled_at, result, job_name, extract(epoch from late_by)::integer as late from jobledger.cron_job_runs order by scheduled_at',
    );
    const results = runs.map(({ result }) => result);
    expect(results.filter((result) => result === 'created').length).toBeGreaterThan(3);
    expect(results).toContain('failed');
    expect(new Set(runs.map((run) => run.scheduled_at)).size).toBe(runs.length);
    expect(runs.every(({ late }) => late >= 0 && late < 600)).toBe(true);
  });

  it.each(['no outcome', 'the outcome unknown'])(
    'shows the Job of a start that has %s, because the Job was observed (J-9.38)',
    async (what) => {
      const runs = (): Promise<object[]> =>
        selected('select * from jobledger.cron_job_runs order by scheduled_at');
      const before = await runs();
      expect(before.filter((run) => 'job_uid' in run && run.job_uid !== null)).not.toEqual([]);
      await emptied(database);
      await aProjector(database).project(
        toRecords([...STORY, ...LIFE.flatMap((event) => withoutAnswer(event, what))]),
      );
      const answered = 'select from jobledger.cron_job_starts where job_uid is not null';
      expect(await selected(answered)).toEqual([]);
      expect(await runs()).toEqual(before);
    },
  );

  it('shows every decision with its reason to wait', async () => {
    const rows = await selected<{ number: number; waiting: string | null }>(
      'select number, waiting_message as waiting from jobledger.cron_job_decisions order by number',
    );
    const decided = LIFE.flatMap((event) => (event.type === 'cronjob.decided' ? [event.data] : []));
    expect(rows).toEqual(
      decided.map(({ number, waiting }) => ({ number, waiting: waiting?.message ?? null })),
    );
  });
});

describe('the SQL function for a CronJob at an instant', () => {
  it('returns the state that had been observed by then, at each instant of the life of the CronJob', async () => {
    expect(instants().length).toBeGreaterThan(5);
    for (const at of instants()) {
      const [row] = await selected<{ schedule: string; version: string; deleted: boolean }>(
        'select schedule, resource_version as version, deleted from jobledger.cron_job_as_of($1, $2, $3, $4)',
        'east',
        'default',
        'tick',
        at,
      );
      expect(row ?? null).toEqual(seenBy(at));
      const existing = await selected('select from jobledger.cron_jobs_as_of($1)', at);
      expect(existing).toHaveLength(seenBy(at)?.deleted === false ? 1 : 0);
    }
  });

  it('returns no row for an instant before the CronJob was observed', async () => {
    expect(
      await selected(
        'select from jobledger.cron_job_as_of($1, $2, $3, $4)',
        'east',
        'default',
        'tick',
        '2020-01-01T00:00:00Z',
      ),
    ).toEqual([]);
  });
});

describe('the queries of the API about CronJobs', () => {
  const key = { cluster: 'east', uid: LIFE[0]?.data.cronJobUid ?? '' };
  const listed = (places: Places, after: PageCursor | null = null): Promise<CronJobView[]> =>
    database.run<CronJobView>(cronJobsPage({ deleted: true }, after, 10, places));

  it('list only CronJobs in the clusters and namespaces of the caller', async () => {
    expect(await listed(null)).toMatchObject([{ name: 'tick', uid: key.uid, schedule: '*/2 * * * *' }]);
    expect(await listed([{ cluster: 'east', namespace: 'default' }])).toHaveLength(1);
    expect(await listed([{ cluster: 'east', namespace: 'other' }])).toEqual([]);
    expect(await listed(null, ['east', 'default', 'tick', key.uid])).toEqual([]);
  });

  it('return pages of starts, the latest first, and pages of events in the order of the ledger', async () => {
    const all = await database.run<CronJobRunView>(startsOfCronJob(key, null, 100));
    const times = all.map(({ scheduled_at: at }) => at ?? '');
    expect(times).toEqual(times.toSorted().toReversed());
    const rest = await database.run<CronJobRunView>(startsOfCronJob(key, [times[0] ?? ''], 100));
    expect(rest).toEqual(all.slice(1));
    const { rows: events } = await eventsOfCronJob(database.run, key, '-1', 2);
    expect(events.map(({ id }) => id)).toEqual(LIFE.slice(0, 3).map(({ id }) => id));
    const { rows: later } = await eventsOfCronJob(database.run, key, events[1]?.kafka_offset ?? '', 500);
    expect(later.map(({ id }) => id)).toEqual(LIFE.slice(2).map(({ id }) => id));
  });
});

describe('a CronJob of which all events are older than the horizon', () => {
  async function left(): Promise<unknown[]> {
    const rows = await rowsIn(database);
    return OF_CRON_JOBS.map((table) => rows[table]);
  }

  it('is removed from every table, with the ids of its events, if it was deleted', async () => {
    await storeHorizon(database, '2026-04-01T00:00:00Z');
    await removeEndedJobs(database);
    expect(await left()).toEqual([[], [], [], []]);
    const ids = await selected<{ id: string }>('select id from jobledger.event_ids');
    const own = new Set(LIFE.map(({ id }) => id));
    expect(ids.filter(({ id }) => own.has(id))).toEqual([]);
  });

  it('stays in the tables while it exists, however old it is', async () => {
    await emptied(database);
    await aProjector(database).project(toRecords(LIFE.filter(({ type }) => type !== 'cronjob.deleted')));
    const before = await left();
    await storeHorizon(database, '2036-04-01T00:00:00Z');
    await removeEndedJobs(database);
    expect(await left()).toEqual(before);
  });
});

describe('a removal of months of events', () => {
  it('removes the events of CronJobs for ever, and keeps their starts', async () => {
    await dropMonthsBefore(database, '2026-04-01');
    const rows = await rowsIn(database);
    expect(rows['cron_job_events']).toEqual([]);
    expect(rows['cron_job_starts']).not.toEqual([]);
    // The events stay dropped when they are read again, for example after an import.
    const [event] = LIFE;
    if (event !== undefined)
      await aProjector(database).project(toRecords([...STORY, ...LIFE, { ...event, id: 'late' }]));
    expect((await rowsIn(database))['cron_job_events']).toEqual([]);
  });
});

describe('the list of coming or of skipped starts of a CronJob', () => {
  const NOW = Date.parse('2026-03-28T14:31:00Z');

  async function comingAt(world: ReturnType<typeof aWorld>): Promise<string[]> {
    await emptied(database);
    await aProjector(database).project(toRecords(world.stream));
    const cronJob = await findCronJob(database.run, { name: 'tick', places: null });
    return findComingStarts(database.run, cronJob, NOW);
  }

  it('has the next five starts, in the time zone of the CronJob, across a change to summer time (J-9.4)', async () => {
    const world = aWorld({ schedule: '30 9 * * *', timeZone: 'Europe/Berlin' }, '2026-03-28T12:00:00Z');
    work(world);
    expect(await comingAt(world)).toEqual(
      ['29', '30', '31']
        .map((day) => `2026-03-${day}T07:30:00.000Z`)
        .concat(['2026-04-01T07:30:00.000Z', '2026-04-02T07:30:00.000Z']),
    );
  });

  it('uses the time zone of the last decision when the CronJob names no time zone (J-9.4)', async () => {
    const world = aWorld({ schedule: '30 9 * * *' }, '2026-03-28T12:00:00Z');
    world.settings = { ...world.settings, localTimeZone: 'Asia/Tokyo' };
    work(world);
    expect((await comingAt(world))[0]).toBe('2026-03-29T00:30:00.000Z');
  });

  it('computes the starts of an @every schedule from the last start (J-9.4)', async () => {
    const world = aWorld({ schedule: '@every 90m' }, '2026-03-28T12:00:00Z');
    runUntil(world, Date.parse('2026-03-28T14:00:00Z'));
    expect((await comingAt(world)).slice(0, 2)).toEqual([
      '2026-03-28T15:00:00.000Z',
      '2026-03-28T16:30:00.000Z',
    ]);
  });

  it('has no coming starts while the CronJob is suspended, or its time zone is invalid (J-9.32)', async () => {
    const world = aWorld({ schedule: '30 9 * * *' }, '2026-03-28T12:00:00Z');
    work(world);
    change(world, { suspend: true });
    work(world);
    expect(await comingAt(world)).toEqual([]);
    const unknown = aWorld({ schedule: '30 9 * * *', timeZone: 'Moon/Base' }, '2026-03-28T12:00:00Z');
    work(unknown);
    expect(await comingAt(unknown)).toEqual([]);
  });

  it('has each skipped start with its last reason, and no start that still waits or was late (J-9.36)', async () => {
    const world = aWorld({ schedule: '*/10 * * * *', concurrencyPolicy: 'Forbid' }, '2026-03-28T14:00:00Z');
    runUntil(world, NOW);
    await comingAt(world);
    const skipped = await database.run(selectSkippedStarts({ cluster: 'east', uid: UID }));
    const message = 'the start of 2026-03-28T14:20:00.000Z waits for the running Job (Forbid)';
    expect(skipped).toEqual([{ scheduled_at: '2026-03-28T14:20:00.000Z', rule: 'J-9.36', message }]);
    finish(world, [...world.jobs.keys()][0] ?? '');
    work(world);
    await comingAt(world);
    // The start of 14:30 was late, and the start of 14:20 never happened.
    expect(await database.run(selectSkippedStarts({ cluster: 'east', uid: UID }))).toEqual(skipped);
  });

  it('names the starting deadline for a start that was skipped because it was too late (J-9.34)', async () => {
    const world = aWorld({ schedule: '*/10 * * * *', startingDeadlineSeconds: 30 }, '2026-03-28T14:00:00Z');
    world.now = NOW;
    work(world);
    await comingAt(world);
    expect(await database.run(selectSkippedStarts({ cluster: 'east', uid: UID }))).toMatchObject([
      {
        scheduled_at: '2026-03-28T14:30:00.000Z',
        rule: 'J-9.34',
        message: expect.stringContaining('more than 30 s late'),
      },
    ]);
  });
});
