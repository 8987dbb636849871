import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { registerClusters } from '../../cli/verbs/clusters/clusters.ts';
import { registerDescribe } from '../../cli/verbs/describe/describe.ts';
import { registerGet } from '../../cli/verbs/get/get.ts';
import { registerHistory } from '../../cli/verbs/history/history.ts';
import { applyBatches } from '../../services/projector/apply.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, after, jobObserved } from '../projector/builders.ts';
import { aStory } from '../projector/story.ts';
import { startServers } from '../support/shared-servers/start-servers.ts';
import { registerSuspend } from '../../cli/verbs/request/request.ts';

jest.setTimeout(60_000);
const log = createLog('test');
log.level = 'silent';

let stateDir: string;
let servers: LocalServers;
let database: Database;

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'jobledger-verbs-'));
  ({ servers } = await startServers({ stateDir, postgres: true }));
  database = openDatabase({ DATABASE_URL: servers.addresses.databaseUrl ?? '' }, log);
  await migrate(database, join(process.cwd(), 'services/projector/migrations'));
  await project([...aStory(), elsewhere('batch', 'other-1'), elsewhere('web', 'other-2')]);
});

afterAll(async () => {
  await database.close();
  await servers.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

/** Returns the events of a Job named `twin` in a namespace. */
function elsewhere(namespace: string, uid: string): JobEvent {
  const event = jobObserved(10, aJob({ version: 1, metadata: { uid, namespace, name: 'twin' } }));
  const subject = `${namespace}/twin`;
  return { ...event, id: uid, subject, data: { ...event.data, jobUid: uid } } as JobEvent;
}

async function project(events: readonly JobEvent[]): Promise<void> {
  await createEnsureMonths(database)(events);
  const positioned = events.map((event, offset) => ({
    partition: 0,
    offset: BigInt(offset),
    event,
    version: 1,
    dataText: null,
  }));
  const batch = { partition: 0, first: 0n, next: BigInt(events.length), events: positioned, deadLetters: [] };
  await applyBatches({ database, topic: 'ledger' }, [{ batch, known: 0n }]);
}

let printed: string;
beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

async function run(...args: string[]): Promise<string> {
  const program = new Command('jobledger').exitOverride();
  for (const register of [registerGet, registerDescribe, registerHistory, registerClusters, registerSuspend])
    register(program);
  await program.parseAsync([...args, '--state-dir', stateDir], { from: 'user' });
  return printed;
}

describe('the verb get', () => {
  it('lists existing Jobs, and with --deleted also deleted Jobs', async () => {
    expect(await run('get', '-n', 'web')).toMatch(/^CLUSTER +NAMESPACE.*\neast +web +twin +External +0\/1/);
    expect(await run('get')).not.toContain(' pi ');
    expect(await run('get', '--deleted')).toMatch(/default +pi +Succeeded \(deleted\) +1\/1 +1 /);
  });

  it('prints rows as JSON', async () => {
    expect(JSON.parse(await run('get', 'pi', '-o', 'json'))).toMatchObject({ uid: 'job-1', failed: 1 });
  });

  it('fails and lists the matching Jobs for an ambiguous name, or Jobs with similar names for an unknown name', async () => {
    await expect(run('get', 'twin')).rejects.toThrow(
      '2 Jobs; choose one:\n  east/batch/twin\n  east/web/twin',
    );
    await expect(run('get', 'twi')).rejects.toThrow(
      /no Job named "twi" was ever seen; did you mean\n {2}east\/batch/,
    );
    await expect(run('get', 'tiwn')).rejects.toThrow(
      /did you mean\n {2}east\/batch\/twin\n {2}east\/web\/twin$/,
    );
    await expect(run('get', 'cronjob/twin')).rejects.toThrow(
      /^no CronJob named "twin" is recorded: CronJobs are recorded where .*; did you mean\n {2}east\/batch\/twin/s,
    );
    await expect(run('get', 'west/default/pi')).rejects.toThrow(
      'no cluster "west" was ever connected; there are: east',
    );
    await expect(run('get', 'east/web/pi')).rejects.toThrow('no Job named "pi" in east/web was ever seen');
    await expect(run('get', '--cluster', 'west')).rejects.toThrow('no cluster "west" was ever connected');
    expect(await run('get', '-n', 'empty', '--cluster', 'east')).toContain('no Jobs match');
    await expect(run('get', "'; drop table jobledger.jobs --")).rejects.toThrow('cannot be the name of');
  });

  it('shows the newest Job with the given name, or the Job with the given uid', async () => {
    const again = jobObserved(
      99,
      aJob({ version: 90, metadata: { uid: 'job-2', creationTimestamp: after(95) } }),
    );
    const recreated = { ...again, data: { ...again.data, jobUid: 'job-2' } } as JobEvent;
    await database.run(sql`update jobledger.positions set next_offset = 0`);
    await project([recreated]);
    expect(JSON.parse(await run('get', 'pi', '-o', 'json'))).toMatchObject({ uid: 'job-2' });
    printed = '';
    expect(JSON.parse(await run('get', 'pi', '--uid', 'job-1', '-o', 'json'))).toMatchObject({
      uid: 'job-1',
    });
  });

  it('lists, with --deleted, all Jobs that ever had the given name', async () => {
    const named = JSON.parse(await run('get', 'pi', '--deleted', '-o', 'json')) as { uid: string }[];
    expect(named.map(({ uid }) => uid)).toEqual(['job-2', 'job-1']);
    printed = '';
    expect(JSON.parse(await run('get', 'pi', '--deleted', '--uid', 'job-1', '-o', 'json'))).toMatchObject({
      uid: 'job-1',
    });
    await expect(run('get', 'unheard', '--deleted')).rejects.toThrow('no Job named "unheard" was ever seen');
  });
});

describe('the verb describe JOB', () => {
  it('shows also removed conditions, and for each pod why it was created and why it ended', async () => {
    const text = await run('describe', 'pi', '--uid', 'job-1');
    expect(text).toMatch(/Suspended +removed/);
    expect(text).toMatch(
      /pi-a +Failed \(deleted\) +node-1 .* 1 of 1 pods is missing \[J-5.12] +exit code 3 \(Error\)/,
    );
  });
});

describe('the verb history JOB', () => {
  it('prints a time line with superseded decisions and gaps', async () => {
    const lines = (await run('history', 'pi', '--uid', 'job-1')).trim().split('\n');
    expect(lines[0]).toBe('Job east/default/pi, uid job-1');
    expect(lines.filter((line) => line.includes('superseded'))).toHaveLength(1);
    expect(lines.findIndex((line) => line.includes(' gap '))).toBe(lines.length - 3);
    expect(lines.at(-1)).toMatch(/job +deleted$/);
  });

  it('prints CloudEvents as JSON', async () => {
    const events = JSON.parse(await run('history', 'pi', '--uid', 'job-1', '-o', 'json')) as unknown[];
    expect(events).toHaveLength(15);
    expect(events[0]).toMatchObject({
      specversion: '1.0',
      type: 'dev.jobledger.job.observed.v1',
      subject: 'default/pi',
      time: after(1),
    });
  });
});

describe('the verb clusters', () => {
  it('shows the gaps of each cluster', async () => {
    expect(await run('clusters')).toMatch(/east .* 1 +2026-04-01T00:00:20.000Z to 2026-04-01T00:00:30.000Z/);
  });
});

describe('the verb suspend JOB', () => {
  it('is refused for a deleted Job, or for a Job that another controller controls', async () => {
    await expect(run('suspend', 'pi', '--uid', 'job-1')).rejects.toThrow(
      'cannot suspend east/default/pi: it was deleted at 2026-04-01T00:00:32.000Z',
    );
    await expect(run('suspend', 'web/twin')).rejects.toThrow("the cluster's own Job controller controls it");
  });
});

describe('a database without the tables of Jobledger', () => {
  it('makes the verb get fail with "the database has no schema jobledger yet", instead of "no Jobs match"', async () => {
    await database.run(sql`alter schema jobledger rename to elsewhere`);
    await expect(run('get')).rejects.toThrow('the database has no schema jobledger yet');
    await database.run(sql`alter schema elsewhere rename to jobledger`);
  });
});
