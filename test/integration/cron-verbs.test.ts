import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWorld, finish, runUntil, time, work } from '../cron-job/world.ts';
import { aRecordedJob } from '../history/a-stream.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { jobledger } from '../support/rebuild.ts';

let ledger: ALedger;
let events: LedgerEvent[];

beforeAll(async () => {
  ledger = await startLedger();
  const world = aWorld({ schedule: '*/10 * * * *', concurrencyPolicy: 'Forbid' }, '2026-03-01T12:00:00Z');
  runUntil(world, time('2026-03-01T12:21:00Z'));
  finish(world, 'tick-29539450');
  work(world);
  events = [...aRecordedJob(), ...world.stream];
  await ledger.append(events.map((event) => encodeEvent(event)));
  await ledger.start('projector');
  await ledger.applied();
}, 120_000);

afterAll(() => ledger.stop());

async function asked(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await jobledger(ledger.environment, ...args);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

describe('for a CronJob, the verb', () => {
  it('verify finds no difference, in the stream of the CronJob alone or in all streams', async () => {
    expect(await asked('admin', 'verify', 'cronjob/tick')).toContain(
      'of 0 Jobs and 1 CronJob repeated: no difference',
    );
    expect(await asked('admin', 'verify', '--all')).toContain(
      'of 1 Job and 1 CronJob repeated: no difference',
    );
  }, 60_000);

  it('history prints the time line, or as JSON the CloudEvents', async () => {
    const lines = await asked('history', 'cronjob/tick');
    expect(lines).toMatch(/^CronJob east\/default\/tick, uid c0ffee00/);
    expect(lines).toContain('→ CreateJob tick-29539450: the start of 2026-03-01T12:10:00.000Z [J-9.38]');
    const records = JSON.parse(await asked('history', 'cronjob/tick', '-o', 'json')) as { id: string }[];
    expect(records.map(({ id }) => id)).toEqual(
      events.filter(({ data }) => 'cronJobUid' in data).map(({ id }) => id),
    );
  }, 60_000);

  it('replay shows the state at a given instant', async () => {
    const text = await asked('replay', 'cronjob/tick', '--at', '2026-03-01T12:15:00Z');
    expect(text).toMatch(/lastScheduleTime: +2026-03-01T12:10:00Z/);
    expect(text).toContain('waits: the start of 2026-03-01T12:20:00.000Z waits for the running Job (Forbid)');
  }, 60_000);

  it('why explains that a start was late, and names the reason for the wait (J-9.36)', async () => {
    const text = await asked('why', 'cronjob/tick', '--start', '2026-03-01T12:20:00Z');
    expect(text).toContain(
      'why it was late: the start of 2026-03-01T12:20:00.000Z waits for the running Job (Forbid)',
    );
    expect(text).toContain('job tick-29539450');
  }, 60_000);

  it('what-if shows which starts would have been different', async () => {
    const text = await asked('what-if', 'cronjob/tick', '--set', 'concurrencyPolicy=Allow');
    expect(text).toMatch(/^CronJob east\/default\/tick, uid c0ffee00.*\nSCHEDULED +STARTED +RESULT/);
    expect(text).toMatch(/2026-03-01T12:20:00.000Z +2026-03-01T12:21:00.000Z +earlier .* by 60 s/);
    expect(text).toContain('2 starts: 1 same, 1 earlier; decided by core 1');
    const answer: unknown = JSON.parse(
      await asked('what-if', 'cronjob/tick', '--set', 'spec.schedule=*/20 * * * *', '-o', 'json'),
    );
    expect(answer).toMatchObject({
      change: { schedule: '*/20 * * * *' },
      cronJob: 'east/default/tick',
      starts: [
        { scheduledAt: '2026-03-01T12:10:00.000Z', result: 'skipped', counterfactual: { startedAt: null } },
        { scheduledAt: '2026-03-01T12:20:00.000Z', result: 'earlier' },
      ],
      totals: { skipped: 1, earlier: 1, same: 0 },
      unknown: null,
    });
  }, 60_000);

  it('what-if refuses values that the API server would reject, and fields without influence on starts', async () => {
    for (const [set, message] of [
      ['schedule=61 * * * *', 'spec.schedule: "61 * * * *": end of range (61) above maximum (59): 61'],
      ['timeZone=Moon/Base', 'spec.timeZone: unknown time zone Moon/Base'],
      ['jobTemplate=1', 'jobTemplate cannot be varied: no fact shows how other Jobs would have run'],
      ['backoffLimit=1', 'there is no path "backoffLimit"; the path is one of spec.schedule, spec.timeZone'],
    ] as const) {
      const { exitCode, stderr } = await jobledger(
        ledger.environment,
        'what-if',
        'cronjob/tick',
        '--set',
        set,
      );
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  }, 60_000);

  it('cron next shows as many coming starts as requested', async () => {
    const { starts } = JSON.parse(await asked('cron', 'next', 'tick', '--count', '3', '-o', 'json')) as {
      starts: string[];
    };
    expect(starts).toHaveLength(3);
    for (const start of starts) expect(start).toMatch(/T\d\d:\d0:00\.000Z$/);
  }, 60_000);

  it('get lists CronJobs or shows a single CronJob, and lists no CronJobs among Jobs', async () => {
    const [row, ...others] = JSON.parse(await asked('get', 'cronjobs', '-o', 'json')) as Record<
      string,
      unknown
    >[];
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      name: 'tick',
      schedule: '*/10 * * * *',
      concurrency_policy: 'Forbid',
      suspend: false,
    });
    expect(await asked('get', 'cronjob/tick')).toMatch(
      /^CLUSTER +NAMESPACE +NAME +SCHEDULE .*\neast +default +tick +\*\/10/,
    );
    expect(await asked('get')).not.toContain('tick ');
  }, 60_000);

  it('describe shows the coming starts, and the past starts with their results', async () => {
    const text = await asked('describe', 'cronjob/tick');
    expect(text).toMatch(/Concurrency policy: +Forbid/);
    expect(text).toMatch(
      /2026-03-01T12:10:00.000Z +tick-29539450 +created .* the start of 2026-03-01T12:10:00.000Z/,
    );
    expect(text).toMatch(/\nComing starts:\n(?:  \S+T\d\d:\d0:00\.000Z\n){5}Starts:\n/);
    const { runs, coming_starts: coming } = JSON.parse(
      await asked('describe', 'cronjob/tick', '-o', 'json'),
    ) as { runs: { scheduled_at: string }[]; coming_starts: string[] };
    expect(coming).toHaveLength(5);
    expect(runs.map(({ scheduled_at: at }) => at)).toEqual([
      '2026-03-01T12:20:00.000Z',
      '2026-03-01T12:10:00.000Z',
    ]);
  }, 60_000);

  it('export writes the stream, which after an import verifies and gives the same starts in SQL', async () => {
    const file = join(ledger.stateDir, 'tick.ndjson.gz');
    const other = await startLedger();
    try {
      const exported = await jobledger(
        ledger.environment,
        'admin',
        'export',
        'cronjob/tick',
        '--manifest',
        '-o',
        file,
      );
      const count = events.filter(({ data }) => 'cronJobUid' in data).length;
      expect(exported).toMatchObject({
        exitCode: 0,
        stderr: `${count} events of 0 Jobs, 1 CronJob and 1 cluster\n`,
      });
      const imported = await jobledger(other.environment, 'admin', 'import', file);
      expect(imported.stdout).toContain(`${count} events appended`);
      expect(await asked('admin', 'import', '--check', file)).toContain('0 events missing');
      await other.start('projector');
      await other.applied();
      const verified = await jobledger(other.environment, 'admin', 'verify', 'cronjob/tick');
      expect(verified.stdout).toContain('of 0 Jobs and 1 CronJob repeated: no difference');
      const starts = 'select scheduled_at, result, job_name from jobledger.cron_job_runs order by 1';
      expect((await other.client.query(starts)).rows).toEqual((await ledger.client.query(starts)).rows);
    } finally {
      await other.stop();
    }
  }, 120_000);

  it('history reports an unknown CronJob', async () => {
    const { exitCode, stderr } = await jobledger(ledger.environment, 'history', 'cronjob/pi');
    expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining('no CronJob named "pi"')]);
  }, 60_000);
});
