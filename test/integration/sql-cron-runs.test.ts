import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { translateCronJobDeletion } from '../../services/ingester/translate/translate-cron-job.ts';
import { emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  countMissedStarts,
  MOST_A_DAY,
  skipUnobserved,
} from '../../services/projector/missed-starts/count.ts';
import type {
  ClusterConnected,
  ClusterGap,
  OptionalResource,
} from '../../workflows/ledger/cluster-events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { createCronJobStarts } from '../support/cron-job-starts.ts';
import { seededRandom } from '../support/random.ts';
import { REDACTION } from '../support/redaction.ts';

jest.setTimeout(120_000);

const CLUSTER = 'east';
const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const text = (milliseconds: number): string => new Date(milliseconds).toISOString();

let postgres: RealPostgres;
let database: Database;
let append: (events: readonly LedgerEvent[]) => Promise<void>;
const { cronJob, observed, started, nextVersion } = createCronJobStarts({
  cluster: CLUSTER,
  createdAt: START,
});

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  await database.run({
    text: 'truncate jobledger.missed_starts, jobledger.missed_starts_counted',
    values: [],
  });
  append = aGrowingLedger(database);
});

function gap(from: number, until: number): LedgerEvent[] {
  return [
    withDigest<ClusterGap>({
      id: `${CLUSTER}/gap/${from}`,
      type: 'cluster.gap',
      source: CLUSTER,
      subject: CLUSTER,
      time: text(until),
      data: {
        cluster: CLUSTER,
        resource: 'jobs',
        from: '1',
        to: '2',
        since: text(from),
        until: text(until),
        reason: 'dropped',
      },
    }),
  ];
}

/** The cluster is connected, and these resources are not recorded. */
function connected(notRecorded: OptionalResource[]): LedgerEvent {
  return withDigest<ClusterConnected>({
    id: `${CLUSTER}/connected/${nextVersion()}`,
    type: 'cluster.connected',
    source: CLUSTER,
    subject: CLUSTER,
    time: text(START),
    data: { cluster: CLUSTER, uid: 'the-cluster', version: 'v1.37.0', notRecorded },
  });
}

interface Run {
  name: string;
  at: string;
  late: number | null;
  missed: boolean;
  because: string | null;
}

function runs(): Promise<Run[]> {
  return database.run<Run>({
    text: `select cron_job_name as name, to_char(scheduled_at at time zone 'UTC', 'HH24:MI') as at,
             extract(epoch from late_by)::integer as late, missed, missed_because as because
           from jobledger.cron_runs order by cron_job_name, scheduled_at`,
    values: [],
  });
}

const missedTimes = async (): Promise<string[]> =>
  (await runs()).filter(({ missed }) => missed).map(({ at }) => at);
const count = (minutes: number): Promise<void> =>
  countMissedStarts(database, { cluster: CLUSTER, until: START + minutes * MINUTE });

describe('the view cron_runs', () => {
  it('has each start with its lateness, and each time without a Job, over random lives and however often it is counted', async () => {
    const random = seededRandom(20261201);
    const events: LedgerEvent[] = [];
    const late: LedgerEvent[] = [];
    const expected: Run[] = [];
    for (const name of ['a', 'b', 'c']) {
      events.push(...observed(cronJob(name), START));
      for (let minutes = 10; minutes < 300; minutes += 10) {
        const at = START + minutes * MINUTE;
        const run = { name, at: text(at).slice(11, 16), because: null };
        const isMissed = random() < 0.3;
        const delay = Math.floor(random() * 400);
        if (isMissed) expected.push({ ...run, late: null, missed: true });
        else {
          expected.push({ ...run, late: delay, missed: false });
          // A Job may be recorded long after its time was counted as missed.
          (random() < 0.2 ? late : events).push(...started(name, at, at + delay * 1000));
        }
      }
    }
    await append(events);
    for (const minutes of [45, 45, 130, 131, 300, 300]) await count(minutes);
    expect((await missedTimes()).length).toBeGreaterThan(expected.filter(({ missed }) => missed).length);
    await append(late);
    const order = (all: readonly Run[]): Run[] =>
      all.toSorted((one, other) => (`${one.name} ${one.at}` < `${other.name} ${other.at}` ? -1 : 1));
    expect(await runs()).toEqual(order(expected));
    // A projector that begins with empty tables finds the same.
    await database.run({
      text: 'truncate jobledger.missed_starts, jobledger.missed_starts_counted',
      values: [],
    });
    await count(300);
    expect(await runs()).toEqual(order(expected));
  });

  it('leaves out times at which the CronJob was suspended, was not observed yet, or was deleted', async () => {
    const first = cronJob('a');
    const suspended = cronJob('a', { suspend: true });
    const resumed = cronJob('a');
    const deletion = translateCronJobDeletion(SCOPE, emptyLiveSet(), 'uid-a', {
      cronJob: cronJob('a'),
      resourceVersion: nextVersion(),
      time: text(START + 75 * MINUTE),
    });
    await append([
      ...observed(first, START + 15 * MINUTE),
      ...observed(suspended, START + 25 * MINUTE),
      ...observed(resumed, START + 55 * MINUTE),
      ...deletion.events,
    ]);
    await count(120);
    expect(await missedTimes()).toEqual(['00:20', '01:00', '01:10']);
  });

  it('leaves out times in a gap of the Jobs, also of a gap that is recorded later', async () => {
    await append(observed(cronJob('a'), START));
    await count(60);
    await append(gap(START + 25 * MINUTE, START + 42 * MINUTE));
    expect(await missedTimes()).toEqual(['00:10', '00:50']);
  });

  it('leaves out the time in which the cluster was detached, or its CronJobs could not be read', async () => {
    await append([...observed(cronJob('a'), START), connected([])]);
    await count(15);
    await append([connected(['cronjobs'])]);
    await skipUnobserved(database.run, START + 55 * MINUTE);
    await append([connected(['nodes'])]);
    await skipUnobserved(database.run, START + 90 * MINUTE);
    await count(75);
    expect(await missedTimes()).toEqual(['00:10', '01:00', '01:10']);
  });

  it('says that an earlier Job was active if the policy forbids a second one', async () => {
    const [first, second] = [START + 10 * MINUTE, START + 40 * MINUTE];
    for (const name of ['allow', 'forbid'])
      await append([
        ...observed(cronJob(name, { concurrencyPolicy: name === 'allow' ? 'Allow' : 'Forbid' }), START),
        ...started(name, first, first, START + 35 * MINUTE),
        ...started(name, second, second, second + MINUTE),
      ]);
    await count(60);
    const because = (await runs())
      .filter(({ missed }) => missed)
      .map((run) => [run.name, run.at, run.because]);
    expect(because).toEqual([
      ['allow', '00:20', null],
      ['allow', '00:30', null],
      ['allow', '00:50', null],
      ['forbid', '00:20', 'JobActive'],
      ['forbid', '00:30', 'JobActive'],
      ['forbid', '00:50', null],
    ]);
  });

  it(`has at most ${MOST_A_DAY} missed starts of a CronJob for a day, however they are counted`, async () => {
    await append(observed(cronJob('a', { schedule: '* * * * *' }), START));
    for (const minutes of [30, 99, 130, 600, 1440 + 3]) await count(minutes);
    const times = await missedTimes();
    expect(times).toHaveLength(MOST_A_DAY + 3);
    expect(times[MOST_A_DAY - 1]).toBe('01:40');
  });
});
