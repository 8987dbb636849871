import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { witnessCollection, type Witness } from '../support/witness.ts';

const NAMES = ['flaky', 'by-index', 'paused', 'late', 'again'];

/** A version of a Job has an event, which was recorded at `time`. */
interface Version {
  time: string;
  uid: string;
  version: string;
  deleted: boolean;
}

let installation: Installation;
let offered: Witness;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-as-of-'));

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000' } });
  offered = await witnessCollection(installation.cluster.client, '/apis/batch/v1/jobs');
  await installation.startServices();
  await Promise.all([flaky(), byIndex(), paused(), late(), again()]);
  await allRecorded();
}, 240_000);

afterAll(async () => {
  offered?.stop();
  await installation?.stop();
  rmSync(scratch, { recursive: true, force: true });
}, 30_000);

async function flaky(): Promise<void> {
  await installation.cluster.createJob('flaky', {}, { command: failingFirst(2, scratch) });
  await installation.cluster.finished('flaky', 90);
}

async function byIndex(): Promise<void> {
  const spec = {
    completionMode: 'Indexed',
    parallelism: 2,
    completions: 4,
    backoffLimitPerIndex: 0,
  } as const;
  const command = ['sh', '-c', 'exit $((JOB_COMPLETION_INDEX % 2))'];
  await installation.cluster.createJob('by-index', spec, { command });
  await installation.cluster.finished('by-index', 90);
}

function isActive({ status }: Job): boolean {
  return (status?.active ?? 0) > 0;
}

/** Creates a Job suspended, resumes it, suspends it while it runs, and resumes it again. */
async function paused(): Promise<void> {
  const { cluster } = installation;
  await cluster.createJob('paused', { suspend: true }, { command: ['sleep', '4'] });
  await cluster.jobWhere('paused', 'is suspended', ({ status }) => status?.conditions !== undefined, 60);
  await cluster.patchJob('paused', { spec: { suspend: false } });
  await cluster.jobWhere('paused', 'runs', isActive, 60);
  await cluster.patchJob('paused', { spec: { suspend: true } });
  await cluster.jobWhere('paused', 'is stopped', (job) => !isActive(job), 60);
  await cluster.patchJob('paused', { spec: { suspend: false } });
  await cluster.finished('paused', 90);
}

async function late(): Promise<void> {
  const { cluster } = installation;
  await cluster.createJob('late', {}, { command: ['sleep', '60'] });
  await cluster.jobWhere('late', 'runs', isActive, 60);
  // A deadline from the start could pass before a slow machine has written the first status.
  await cluster.patchJob('late', { spec: { activeDeadlineSeconds: 1 } });
  await cluster.finished('late', 90);
}

/** Deletes a Job, and creates another Job with the same name. */
async function again(): Promise<void> {
  const { cluster } = installation;
  await cluster.createJob('again', {}, {});
  await cluster.finished('again', 90);
  await cluster.deleteJob('again', 'Background');
  await eventually('the first Job is gone', 60, async () =>
    (await cluster.job('again')) === undefined ? true : undefined,
  );
  await cluster.createJob('again', { parallelism: 2, completions: 3 }, {});
  await cluster.finished('again', 90);
}

/** Waits until the versions of Jobs in the events are exactly those that the API server offered. */
async function allRecorded(): Promise<void> {
  await eventually('all versions are in SQL', 60, async () => {
    const rows = await installation.sql<{ version: string }>(
      `select job_uid || '/' || resource_version as version from jobledger.events
       where type in ('job.observed', 'job.deleted')`,
    );
    const recorded = rows
      .map(({ version }) => version)
      .toSorted()
      .join();
    return [...offered.seen.keys()].toSorted().join() === recorded ? true : undefined;
  });
}

function readVersions(name: string): Promise<Version[]> {
  return installation.sql<Version>(
    `select time::text, job_uid as uid, resource_version::text as version, type = 'job.deleted' as deleted
     from jobledger.events
     where type in ('job.observed', 'job.deleted') and job_name = $1 and data ? 'object'
     order by events.time, kafka_offset`,
    [name],
  );
}

/** Returns every instant with a record about a Job of this name, and an earlier instant. */
async function readInstants(name: string): Promise<string[]> {
  const rows = await installation.sql<{ at: string }>(
    `select distinct time::text as at from jobledger.events where job_name = $1
     union all
     select (min(time) - interval '1 millisecond')::text from jobledger.events where job_name = $1
     order by at`,
    [name],
  );
  return rows.map(({ at }) => at);
}

/** Returns the status in SQL that belongs to an object of the API server. */
function expectedStatus({ metadata, spec, status = {} }: Job, deleted: boolean) {
  return {
    uid: metadata.uid,
    resource_version: metadata.resourceVersion,
    suspend: spec.suspend ?? false,
    parallelism: spec.parallelism ?? null,
    completions: spec.completions ?? null,
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    terminating: status.terminating ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    completed_indexes: status.completedIndexes ?? null,
    failed_indexes: status.failedIndexes ?? null,
    started_at: status.startTime === undefined ? null : new Date(status.startTime),
    completed_at: status.completionTime === undefined ? null : new Date(status.completionTime),
    conditions: status.conditions ?? [],
    deleted,
  };
}

function findObject({ uid, version }: Version): Job {
  const object = offered.seen.get(`${uid}/${version}`);
  if (object === undefined) throw new Error(`the API server never offered version ${version} of ${uid}`);
  return object as unknown as Job;
}

/** Returns the status in the newest version that was recorded by an instant. */
function heldAt(versions: readonly Version[], at: string): ReturnType<typeof expectedStatus> | null {
  const newest = versions.filter(({ time }) => Date.parse(time) <= Date.parse(at)).at(-1);
  return newest === undefined ? null : expectedStatus(findObject(newest), newest.deleted);
}

async function readStatusAt(name: string, at: string): Promise<{ deleted: boolean } | null> {
  const rows = await installation.sql<{ deleted: boolean }>(
    `select uid, resource_version, suspend, parallelism, completions, active, ready, terminating, succeeded, failed,
       completed_indexes, failed_indexes, started_at, completed_at, conditions, deleted
     from jobledger.job_as_of('local', 'default', $1, $2)`,
    [name, at],
  );
  return rows[0] ?? null;
}

describe('the status of a Job at an instant in SQL', () => {
  it.each(NAMES)(
    'equals, at each instant with a record, the status that the API server had: Job %s',
    async (name) => {
      const [versions, instants] = [await readVersions(name), await readInstants(name)];
      // At least the creation, a status with a running pod, and the end have versions; a slow machine merges other writes.
      expect(versions.length).toBeGreaterThanOrEqual(3);
      expect(instants.length).toBeGreaterThan(versions.length);
      for (const at of instants)
        expect([at, await readStatusAt(name, at)]).toEqual([at, heldAt(versions, at)]);
    },
  );

  it('is missing at an instant before the first record', async () => {
    const [before = ''] = await readInstants('flaky');
    expect(await readStatusAt('flaky', before)).toBeNull();
  });

  it('is stored with the id of the event that has exactly this status', async () => {
    const rows = await installation.sql<{ uid: string; version: string; status: unknown }>(
      `select s.uid, s.resource_version::text as version, e.data #> '{object,status}' as status
       from jobledger.job_statuses s join jobledger.events e on e.id = s.event_id where e.data ? 'object'`,
    );
    const found = rows.map(({ uid, version, status }) => [`${uid}/${version}`, status]);
    const held = [...offered.seen].map(([key, object]) => [key, (object as unknown as Job).status]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(held));
  });

  it('is returned by one query for all Jobs that existed at the instant', async () => {
    const instants = (await Promise.all(NAMES.map(readInstants))).flat();
    for (const at of instants.filter((_at, number) => number % 5 === 0)) {
      const one = await Promise.all(NAMES.map((name) => readStatusAt(name, at)));
      const living = one.filter((row) => row?.deleted === false);
      const all = await installation.sql('select uid from jobledger.jobs_as_of($1)', [at]);
      expect([at, all.length]).toEqual([at, living.length]);
    }
  });
});
