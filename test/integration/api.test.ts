import { aRecordedPlacement } from '../history/a-recorded-placement.ts';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import {
  apiClient,
  answerDifferences,
  type ApiAnswer,
  type ApiClient,
  type ApiDocument,
} from '../support/api-client.ts';
import { aWorld, runUntil, time, UID } from '../cron-job/world.ts';
import { documentDifference } from '../support/documented-answers.ts';
import { listOperations, arbitraryRequests } from '../support/documented-requests.ts';
import { openEventStream, type EventStream } from '../support/event-stream.ts';
import { SUPPORTED_LEVELS } from '../../services/adapters/events/feature-levels.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../../services/projector/migrations.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { samplesAt, findSamples } from '../support/metrics.ts';
import { jobledger } from '../support/rebuild.ts';

const scratch = mkdtempSync(join(tmpdir(), 'jobledger-api-'));
const goOn = join(scratch, 'go-on');

let installation: Installation;
let owner: ApiClient;
let reader: ApiClient;
let robot: ApiClient;
let podOfTwin: string;

beforeAll(async () => {
  installation = await install({
    separate: true,
    ownServers: true,
    api: true,
    environment: { JOBLEDGER_API_TIMEOUT_MS: '3000', JOBLEDGER_API_MAX_STREAMS: '3' },
  });
  await installation.startServices();
  const { url, token } = installation.api;
  owner = apiClient(url, token);
  [reader, robot] = [apiClient(url, 'token-of-reader'), apiClient(url, 'token-of-robot')];
  await installation.cluster.inNewNamespace('batch');
  await submitted('waiting', ['sh', '-c', `until [ -e ${goOn} ]; do sleep 0.2; done`]);
  await submitted('twin', ['true'], { namespace: 'batch' });
  await submitted('twin', ['true'], { labels: { team: 'maths' } });
  await installation.cluster.finished('twin');
  await eventually('the end of the Job is in SQL', 30, async () => {
    const { body } = await owner.get('/v1/jobs?name=twin&status=Succeeded');
    return (body as { items: unknown[] }).items.length === 2 ? true : undefined;
  });
  const pods = (await owner.get('/v1/jobs/twin/pods?namespace=batch')).body as { items: { name: string }[] };
  podOfTwin = pods.items[0]?.name ?? '';
  await insertCronJob('batch', 'nightly');
  await insertPlayedCronJob();
  await insertPlacedJob();
}, 240_000);

afterAll(() => installation?.stop(), 30_000);

function manifest(name: string, command: string[], metadata: object = {}): { spec: object; kind: string } {
  const containers = [{ name: 'main', image: 'none', command, env: [{ name: 'GREETING', value: 'hello' }] }];
  const template = { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers } };
  const more = { apiVersion: 'batch/v1', metadata: { name, ...metadata } };
  return { ...more, kind: 'Job', spec: { template } };
}

async function submitted(name: string, command: string[], metadata?: object): Promise<void> {
  const answer = await owner.post('/v1/clusters/local/jobs', manifest(name, command, metadata));
  expect(answer).toMatchObject({ status: 201, body: { name, managed_by: 'jobledger.dev/job-controller' } });
}

/** Stores dead letters with these keys; the last record was appended again. */
async function insertDeadLetters(...keys: string[]): Promise<void> {
  await installation.sql(
    `insert into jobledger.dead_letters (topic, partition, kafka_offset, key, reason, bytes, found_at, retried_at)
     select 'jobledger.ledger', 0, 1000000 + place, key, 'broken', 1,
       '2026-03-01T12:00:00Z'::timestamptz + place * interval '1 minute',
       case when place = cardinality($1::text[]) then now() end
     from unnest($1::text[]) with ordinality as letter (key, place)`,
    [keys],
  );
}

/** Stores a CronJob in the tables, with one event and one start. */
async function insertCronJob(namespace: string, name: string): Promise<void> {
  const uid = `uid-of-${name}`;
  await installation.sql(
    `insert into jobledger.cron_jobs (cluster, uid, namespace, name, suspend, active, active_jobs, resource_version, labels,
       first_seen_at, last_seen_at, decision_count, command_count, failed_command_count, last_decision_number)
     values ('local', $1, $2, $3, false, 0, '[]', 1, '{}', now(), now(), 0, 0, 0, 0)`,
    [uid, namespace, name],
  );
  await installation.sql(
    `insert into jobledger.cron_job_events (cluster, cron_job_uid, id, type, type_version, source, subject, namespace, cron_job_name,
       time, kafka_partition, kafka_offset, digest, data)
     values ('local', $1, $1, 'cronjob.observed', 1, 'local', $2, $3, $4, now(), 0, 0, '', '{"cluster":"local"}')`,
    [uid, `${namespace}/${name}`, namespace, name],
  );
  await installation.sql(
    `insert into jobledger.cron_job_starts (cluster, cron_job_uid, decision, command, namespace, cron_job_name, scheduled_at,
       decided_at, job_name, rule, message, replaced)
     values ('local', $1, 'd', 0, $2, $3, now(), now(), $3, 'J-9.33', 'its time has come', '[]')`,
    [uid, namespace, name],
  );
}

/** Stores the CronJob `tick` of the cluster `east` in the tables, with its whole stream. */
async function insertPlayedCronJob(): Promise<void> {
  const world = aWorld({ schedule: '*/10 * * * *' }, '2026-03-01T12:00:00Z');
  runUntil(world, time('2026-03-01T12:21:00Z'));
  await installation.sql(
    `insert into jobledger.cron_jobs (cluster, uid, namespace, name, suspend, active, active_jobs, resource_version, labels,
       first_seen_at, last_seen_at, decision_count, command_count, failed_command_count, last_decision_number)
     values ('east', $1, 'default', 'tick', false, 0, '[]', 1, '{}', now(), now(), 0, 0, 0, 0)`,
    [UID],
  );
  await installation.sql(
    `insert into jobledger.cron_job_events (cluster, cron_job_uid, id, type, type_version, source, subject, namespace, cron_job_name,
       time, kafka_partition, kafka_offset, digest, data)
     select 'east', $1, id, type, 1, source, subject, 'default', 'tick', time::timestamptz, 0, place - 1, digest, data
     from rows from (jsonb_to_recordset($2) as (id text, type text, source text, subject text, time text, digest text, data jsonb))
       with ordinality as event (id, type, source, subject, time, digest, data, place)`,
    [UID, JSON.stringify(world.stream)],
  );
}

/** Stores the placed Job `placed` of the cluster `east` with its whole stream, as recorded in this month, which has a partition. */
async function insertPlacedJob(): Promise<void> {
  const named = {
    cluster: 'east',
    uid: 'home-uid',
    namespace: 'default',
    name: 'placed',
    managed_by: 'jobledger.dev/placement',
  };
  await installation.sql(
    'insert into jobledger.jobs select (jsonb_populate_record(job, $1)).* from jobledger.jobs job limit 1',
    [JSON.stringify(named)],
  );
  await installation.sql(
    `insert into jobledger.events (cluster, job_uid, id, type, type_version, source, subject, namespace, job_name,
       time, kafka_partition, kafka_offset, digest, data)
     select 'east', 'home-uid', id, type, 1, source, subject, 'default', 'placed', now(), 0, place - 1, digest, data
     from rows from (jsonb_to_recordset($1) as (id text, type text, source text, subject text, digest text, data jsonb))
       with ordinality as event (id, type, source, subject, digest, data, place)`,
    [JSON.stringify(aRecordedPlacement())],
  );
}

async function document(): Promise<ApiDocument> {
  return (await owner.get('/openapi.json')).body as ApiDocument;
}

function problemDetail({ body }: ApiAnswer): string {
  return (body as { detail: string }).detail;
}

describe('a new token in the token file', () => {
  it('is accepted without a restart', async () => {
    expect((await reader.get('/v1/jobs')).status).toBe(401);
    const tokens = join(installation.stateDir, 'api', 'tokens');
    appendFileSync(tokens, tokenLine({ name: 'reader', scopes: ['read'] }, 'token-of-reader'));
    appendFileSync(tokens, tokenLine({ name: 'robot', scopes: ['operate'] }, 'token-of-robot'));
    const known = await eventually('the new tokens are known', 30, async () => {
      const { status } = await robot.get('/v1/jobs');
      return status === 403 ? status : undefined;
    });
    expect([known, (await reader.get('/v1/jobs')).status]).toEqual([403, 200]);
  });
});

/** Each operation answers its request with 200. */
const QUESTIONS: Record<string, () => string> = {
  listJobs: () => '/v1/jobs?label=team%3Dmaths&status=Succeeded,Failed&created_from=2026-01-01T00:00:00Z',
  countJobs: () => '/v1/counts?status=Pending,Running&status=Failed',
  getHistogram: () => '/v1/histogram?from=2026-01-01T00:00:00Z&before=2030-01-01T00:00:00Z&status=Failed',
  listGroups: () => '/v1/groups?by=namespace',
  getUsage: () => '/v1/usage?by=series',
  listPrices: () => '/v1/prices',
  getJob: () => '/v1/jobs/waiting',
  getChain: () => '/v1/jobs/twin/chain?namespace=batch',
  listPods: () => '/v1/jobs/twin/pods?namespace=batch',
  listEventsOfJob: () => '/v1/jobs/waiting/events?type=job.observed,job.decided',
  listKubernetesEvents: () => '/v1/jobs/twin/kubernetes-events?namespace=batch&cluster=local',
  listDecisions: () => '/v1/jobs/twin/decisions?namespace=batch&cluster=local',
  whyJob: () => '/v1/jobs/twin/why?namespace=batch&decision_number=1',
  whyIndex: () => '/v1/jobs/placed/why/index?index=0',
  whyPod: () => `/v1/pods/${podOfTwin}/why`,
  getJobOfPod: () => `/v1/pods/${podOfTwin}/job`,
  whoami: () => '/v1/whoami',
  whatIf: () => '/v1/jobs/twin/what-if?namespace=batch&set=backoffLimit%3D0&set=activeDeadlineSeconds%3D600',
  whatIfPlacements: () => '/v1/jobs/placed/what-if/placements?without_cluster=north&price=west%3D0.05',
  whatIfOfJobs: () => '/v1/what-if?namespace=batch&set=backoffLimit%3D0&limit=2',
  replayJob: () => `/v1/jobs/twin/replay?namespace=batch&at=${new Date().toISOString()}`,
  replayJobByStep: () => '/v1/jobs/twin/replay/steps?namespace=batch&until=1',
  getJobAsOf: () => `/v1/jobs/waiting/as-of?at=${new Date().toISOString()}`,
  listJobsAsOf: () => `/v1/as-of?at=${encodeURIComponent(new Date().toISOString())}`,
  listClusters: () => '/v1/clusters',
  listPlaced: () => '/v1/clusters/local/placed',
  listPlacements: () => '/v1/jobs/twin/placements?namespace=batch&cluster=local',
  listGaps: () => '/v1/gaps',
  getInstallation: () => '/v1/installation',
  readEvents: () => '/v1/events?limit=5',
  listCronJobs: () => '/v1/cronjobs?namespace=batch',
  getCronJob: () => '/v1/cronjobs/nightly?namespace=batch',
  listStarts: () => '/v1/cronjobs/nightly/starts?namespace=batch',
  listSkippedStarts: () => '/v1/cronjobs/nightly/skipped?namespace=batch',
  listEventsOfCronJob: () => '/v1/cronjobs/nightly/events?namespace=batch',
  whatIfOfCronJob: () => '/v1/cronjobs/tick/what-if?set=schedule%3D*/20%20*%20*%20*%20*&set=suspend%3Dfalse',
  isAlive: () => '/healthz',
  isReady: () => '/readyz',
};

describe('every operation of the API', () => {
  it('returns an answer of its documented schema, and a test covers each documented operation', async () => {
    const described = await document();
    expect(described.openapi).toBe('3.1.0');
    const operations = Object.values(described.paths).flatMap(({ get }) => (get === undefined ? [] : [get]));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      Object.keys(QUESTIONS).toSorted(),
    );
    for (const operation of operations) {
      const answer = await owner.get(QUESTIONS[operation.operationId]?.() ?? '');
      expect({ operation: operation.operationId, status: answer.status }).toEqual({
        operation: operation.operationId,
        status: 200,
      });
      expect(answerDifferences(described, operation, answer)).toBeNull();
    }
  });
});

describe('the API for what-if and why', () => {
  it('answers which starts of a CronJob would have been different, and refuses values that the API server would reject', async () => {
    expect((await owner.get(QUESTIONS.whatIfOfCronJob?.() ?? '')).body).toMatchObject({
      cron_job: 'east/default/tick',
      starts: [
        { scheduled_at: '2026-03-01T12:10:00.000Z', result: 'skipped', counterfactual: { started_at: null } },
        { scheduled_at: '2026-03-01T12:20:00.000Z', result: 'same', counterfactual: { replaced_at: null } },
      ],
      totals: { skipped: 1, same: 1, unknown: 0 },
      unknown: null,
    });
    const refused = await owner.get('/v1/cronjobs/tick/what-if?set=timeZone%3DMoon/Base');
    expect([refused.status, problemDetail(refused)]).toEqual([
      422,
      'set: spec.timeZone: unknown time zone Moon/Base',
    ]);
  });

  it('answers where a placed Job would have run, and refuses a question about a cluster or a Job without a choice', async () => {
    expect((await owner.get(QUESTIONS.whyIndex?.() ?? '')).body).toMatchObject({
      about: 'index 0',
      answers: [
        { question: 'why west got it' },
        { question: 'why west no longer has it' },
        { question: 'why north got it' },
        { question: 'what its pods did in north' },
      ],
    });
    expect((await owner.get(QUESTIONS.whatIfPlacements?.() ?? '')).body).toMatchObject({
      job: 'east/default/pi',
      comparison: 'different',
      choices: [
        { result: 'same', actual: { cluster: 'west' }, counterfactual: { kind: 'given', cluster: 'west' } },
        {
          result: 'different',
          actual: { cluster: 'north' },
          counterfactual: { kind: 'waited', cluster: null },
        },
      ],
      unknown: { since: '2026-03-01T12:00:04.000Z' },
    });
    const ask = async (question: string): Promise<unknown[]> => {
      const refused = await owner.get(`/v1/jobs/${question}`);
      return [refused.status, problemDetail(refused)];
    };
    expect(await ask('placed/what-if/placements?without_cluster=south')).toEqual([
      404,
      'no recorded choice had a cluster "south"; they had north, west',
    ]);
    expect((await owner.get('/v1/jobs/placed/what-if/placements')).body).toMatchObject({
      comparison: 'same',
    });
    expect(await ask('placed/what-if/placements?price=west')).toEqual([
      400,
      'price: "west" is not a cluster and its price per pod and hour, as in west=0.05',
    ]);
    expect((await ask('waiting/what-if/placements?without_cluster=west'))[0]).toBe(404);
  });
});

describe('every operation of the API', () => {
  it('writes every instant in UTC, as RFC 3339 with a Z', async () => {
    for (const question of Object.values(QUESTIONS)) {
      const text = JSON.stringify((await owner.get(question())).body);
      // An offset is allowed only in the data of events, which are shown as they were recorded.
      expect(text.match(/"(answered|recorded|decided|seen)_at":"[^"]*[^Z"]"/g)).toBeNull();
    }
  });

  it('returns rows, if it lists rows, page by page, without omissions or repeats', async () => {
    for (const path of [
      '/v1/jobs?',
      '/v1/jobs/waiting/events?',
      '/v1/jobs/twin/decisions?namespace=batch&',
      `/v1/as-of?at=${new Date().toISOString()}&`,
    ]) {
      const whole = (await owner.get(`${path}limit=500`)).body as { items: unknown[] };
      const items: unknown[] = [];
      for (let next: string | null = ''; next !== null;) {
        const cursor: string = next === '' ? '' : `&cursor=${next}`;
        const page = (await owner.get(`${path}limit=1${cursor}`)).body as {
          items: unknown[];
          next: string | null;
        };
        expect(page.items).toHaveLength(1);
        items.push(...page.items);
        next = page.next;
      }
      expect(whole.items.length).toBeGreaterThan(1);
      expect(items).toEqual(whole.items);
    }
  });
});

describe('the list of clusters in the API', () => {
  it('shows for each cluster its ingester, when its watches last received an event, and its dead letters', async () => {
    await insertDeadLetters('elsewhere/u1', 'local', 'local/u1', 'local/u1/u2', 'localhost/u1', 'local/u3');
    const [cluster] = ((await owner.get('/v1/clusters')).body as { items: Record<string, unknown>[] }).items;
    const instant = expect.stringMatching(/^2.*Z$/);
    const leader = expect.stringMatching(/_\d+_\d+$/);
    expect(cluster).toMatchObject({
      name: 'local',
      shards: [{ shard: 1, leader, since: instant, version: VERSION }],
      recorded_fields: [],
      jobs_received_at: instant,
      pods_received_at: instant,
      active_pod_count: 1,
      dead_letter_count: 2,
      first_dead_letter_at: '2026-03-01T12:02:00.000Z',
      limits: [expect.stringMatching(/^no gangs/)],
    });
    const newest = (await readMigrations(MIGRATIONS_FOLDER)).at(-1);
    expect((await owner.get('/v1/installation')).body).toEqual({
      version: VERSION,
      feature_level: SUPPORTED_LEVELS.max,
      schema: newest?.name,
      dead_letter_count: 5,
      first_dead_letter_at: '2026-03-01T12:01:00.000Z',
    });
  });
});

describe('each of many generated requests that fit the OpenAPI document', () => {
  it('gets an answer that fits the document, over real tables and a real cluster', async () => {
    const described = await document();
    // These operations would create Jobs, apply prices, or need a token that may send audit records.
    const operations = listOperations(described).filter(
      ({ operationId }) =>
        !['submitJob', 'retryJob', 'applyPrices', 'sendAuditRecords'].includes(operationId),
    );
    const findings = new Map<string, string>();
    for (const operation of operations) {
      const names = operation.method === 'get' ? ['waiting', 'twin', 'local', 'batch', podOfTwin] : ['local'];
      await fc.assert(
        fc.asyncProperty(arbitraryRequests(described, operation, names), async (request) => {
          const { method, url } = request;
          const answer = await fetch(`${installation.api.url}${url}`, {
            method,
            headers: { authorization: `Bearer ${installation.api.token}` },
          });
          const text = await answer.text();
          const body: unknown = text === '' ? undefined : JSON.parse(text);
          const { status, headers } = answer;
          const found = documentDifference(described, request, { status, headers, body });
          if (found === null) return;
          const kind = `${operation.operationId} ${found.replaceAll(/:.*/gs, '')}`;
          if (!findings.has(kind)) findings.set(kind, `${method} ${url}: ${found}`);
        }),
        { numRuns: Math.ceil(1000 / operations.length) },
      );
    }
    expect(Object.fromEntries(findings)).toEqual({});
  }, 60_000);
});

describe('every operation of the API', () => {
  it('needs a token with the documented scope, except for the operations about health', async () => {
    const open: string[] = [];
    for (const [path, operations] of Object.entries((await document()).paths))
      for (const [method, { operationId, security }] of Object.entries(operations)) {
        const [scope] = security[0]?.token ?? [];
        if (security.length === 0) {
          open.push(operationId);
          continue;
        }
        const status = async (token: string | undefined): Promise<number> => {
          const headers: Record<string, string> =
            token === undefined ? {} : { authorization: `Bearer ${token}` };
          const answer = await fetch(`${installation.api.url}${path.replaceAll(/[{}]/g, '')}`, {
            method: method.toUpperCase(),
            headers,
          });
          await answer.text();
          return answer.status;
        };
        const other = scope === 'read' ? 'token-of-robot' : 'token-of-reader';
        const found = [await status(undefined), await status('unknown'), await status(other)];
        expect([operationId, ...found]).toEqual([operationId, 401, 401, scope === undefined ? 200 : 403]);
      }
    expect(open.toSorted()).toEqual(['isAlive', 'isReady']);
  });
});

describe('a failing request to the API', () => {
  const table: [string, string, number, RegExp][] = [
    ['an unknown Job', '/v1/jobs/twi', 404, /^no Job named "twi" was ever seen; did you mean\n/],
    ['two Jobs of one name', '/v1/jobs/twin', 409, /"twin" matches 2 Jobs/],
    [
      'SQL given as a name',
      `/v1/jobs/${encodeURIComponent("'; drop table jobledger.jobs --")}`,
      404,
      /was ever seen/,
    ],
    [
      'SQL given as a filter',
      `/v1/jobs?namespace=${encodeURIComponent("' or true --")}&cursor=x`,
      400,
      /^querystring\/cursor: /,
    ],
    ['U+0000 in a name', '/v1/jobs/a%00b', 400, /U\+0000/],
    [
      'an instant before the first event',
      '/v1/jobs/waiting/as-of?at=2020-01-01T00:00:00Z',
      404,
      /first seen at 2/,
    ],
    ['an instant before the ledger began', '/v1/as-of?at=2020-01-01T00:00:00Z', 404, /does not reach back/],
    [
      'a replay before the first event',
      '/v1/jobs/waiting/replay?at=2020-01-01T00:00:00Z',
      404,
      /first event is of 2/,
    ],
    ['an unknown event of the Job', '/v1/jobs/waiting/replay?until=999', 404, /no event "999"/],
    [
      'an instant without its time zone',
      '/v1/as-of?at=2026-04-01T03:12:00',
      400,
      /an instant with its time zone/,
    ],
    ['an unknown parameter', '/v1/jobs?statu=Failed', 400, /Unrecognized key: "statu"/],
    ['a page that is too long', '/v1/jobs?limit=501', 400, /limit/],
    ['an unknown event type', '/v1/events?type=job.exploded', 400, /valid values: job\.observed/],
    ['invalid positions', '/v1/events?from=yesterday', 400, /^from or Last-Event-ID/],
    ['why of an unknown pod', '/v1/pods/nobody/why', 404, /^no pod named "nobody"/],
    ['why of an unknown decision', '/v1/jobs/waiting/why?decision_number=999', 404, /999/],
    ['an unknown path', '/v2/jobs', 404, /openapi\.json/],
  ];
  it.each(table)(
    'is answered with a status and a message that name its cause: %s',
    async (_what, path, status, detail) => {
      const answer = await owner.get(path, { 'x-request-id': 'asked-1' });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(answer.body).toMatchObject({ status, request_id: 'asked-1' });
      expect(problemDetail(answer)).toMatch(detail);
    },
  );

  it('is answered with the matching Jobs when two Jobs have the given name, unless it also names the namespace', async () => {
    const { body } = await owner.get('/v1/jobs/twin');
    const places = (body as { choices: { namespace: string }[] }).choices.map(({ namespace }) => namespace);
    expect(places.toSorted()).toEqual(['batch', 'default']);
    expect((await owner.get('/v1/jobs/twin?namespace=batch')).status).toBe(200);
  });

  it('is refused with 413 for a body of 100 MB', async () => {
    const answer = await fetch(`${installation.api.url}/v1/clusters/local/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${installation.api.token}`, 'content-type': 'application/json' },
      body: Buffer.alloc(100_000_000, 'x'),
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ type: 'urn:jobledger:problem:body-too-large' });
  });

  it('is answered with 504 when Postgres is too slow', async () => {
    const blocker = new Client({ connectionString: installation.environment['DATABASE_URL'] });
    await blocker.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table jobledger.jobs in access exclusive mode');
      const answer = await owner.get('/v1/jobs');
      expect([answer.status, problemDetail(answer)]).toEqual([504, expect.stringContaining('take too long')]);
    } finally {
      await blocker.end();
    }
    expect((await owner.get('/v1/jobs')).status).toBe(200);
  });
});

describe('a submitted Job', () => {
  it('is refused with the message of the API server when the API server refuses it', async () => {
    const post = (job: object, query = ''): Promise<ApiAnswer> =>
      owner.post(`/v1/clusters/local/jobs${query}`, job);
    const invalid = await post(manifest('Not A Name', ['true']));
    expect([invalid.status, problemDetail(invalid)]).toEqual([
      422,
      expect.stringMatching(/cluster "local": .*metadata\.name: Invalid value/),
    ]);
    const misspelt = await post({ ...manifest('misspelt', ['true']), spce: {} });
    expect([misspelt.status, problemDetail(misspelt)]).toEqual([
      422,
      expect.stringContaining('unknown field "spce"'),
    ]);
    const again = await post(manifest('waiting', ['true']));
    expect([again.status, problemDetail(again)]).toEqual([409, expect.stringContaining('already exists')]);
    const nowhere = await post(manifest('nowhere', ['true'], { namespace: 'nowhere' }));
    expect([nowhere.status, problemDetail(nowhere)]).toEqual([
      404,
      expect.stringContaining('namespaces "nowhere"'),
    ]);
    expect((await owner.post('/v1/clusters/mars/jobs', manifest('x', ['true']))).status).toBe(404);
    expect((await post({ kind: 'Pod' })).status).toBe(400);
  });

  it('can be checked without being created', async () => {
    const checked = await owner.post('/v1/clusters/local/jobs?dry_run=true', manifest('checked', ['true']));
    expect(checked).toMatchObject({ status: 200, body: { name: 'checked', dry_run: true } });
    expect(await installation.cluster.job('checked')).toBeUndefined();
  });

  it('has the name of the submitting token in an annotation and in its events', async () => {
    const job = await installation.cluster.job('waiting');
    expect(job?.metadata.annotations).toMatchObject({ 'jobledger.dev/submitted-by': 'owner' });
    const id = job?.metadata.annotations?.['jobledger.dev/submission'];
    const recorded = await installation.sql<{ type: string; job_uid: string | null; data: object }>(
      `select type, job_uid, data from jobledger.events where data ->> 'submission' = '${id}' order by type`,
    );
    const of = { cluster: 'local', submission: id, by: 'owner' };
    expect(recorded).toEqual([
      {
        type: 'job.submitted',
        job_uid: job?.metadata.uid,
        data: { ...of, jobUid: job?.metadata.uid },
      },
      {
        type: 'submission.received',
        job_uid: null,
        data: { ...of, namespace: 'default', name: 'waiting' },
      },
    ]);
    const described = await jobledger(installation.environment, 'describe', 'waiting');
    expect(described.stdout).toMatch(/^Submitted by: +owner$/m);
    expect((await jobledger(installation.environment, 'history', 'waiting')).stdout).toMatch(
      /request +submitted by owner$/m,
    );
    expect((await jobledger(installation.environment, 'why', 'job/waiting')).stdout).toMatch(
      /request +submitted by owner$/m,
    );
  });
});

describe('the new Job of a retry', () => {
  const ended = async (name: string): Promise<void> =>
    void (await eventually(`the end of ${name} is in SQL`, 30, async () => {
      const { body } = await owner.get(`/v1/jobs?name=${name}&status=Succeeded`);
      return (body as { items: unknown[] }).items.length === 1 ? true : undefined;
    }));
  const removed = async (name: string): Promise<void> => {
    await installation.cluster.deleteJob(name, 'Background');
    await eventually(`the deletion of ${name} is in SQL`, 30, async () => {
      const { body } = await owner.get(`/v1/jobs/${name}`);
      return (body as { deleted_at: string | null }).deleted_at === null ? undefined : true;
    });
  };

  it('has the whole spec of the earlier Job while the cluster still has that Job', async () => {
    await submitted('first', ['sh', '-c', 'test "$GREETING" = hello'], { labels: { team: 'art' } });
    await installation.cluster.finished('first');
    await ended('first');
    expect(await owner.post('/v1/jobs/first/retry?dry_run=true&new_name=second')).toMatchObject({
      status: 200,
      body: { name: 'second', dry_run: true },
    });
    expect(await installation.cluster.job('second')).toBeUndefined();
    expect(await owner.post('/v1/jobs/first/retry?new_name=second')).toMatchObject({
      status: 201,
      body: {
        cluster: 'local',
        namespace: 'default',
        name: 'second',
        managed_by: 'jobledger.dev/job-controller',
      },
    });
    const [first, second] = [
      await installation.cluster.job('first'),
      await installation.cluster.finished('second'),
    ];
    expect(second.metadata).toMatchObject({
      labels: { team: 'art' },
      annotations: {
        'jobledger.dev/retry-of': first?.metadata.uid,
        'jobledger.dev/submitted-by': 'owner',
      },
    });
    const own = (job: Job | undefined): unknown => ({
      ...job?.spec,
      selector: null,
      template: job?.spec.template?.spec,
    });
    expect(own(second)).toEqual(own(first));
    await eventually('the retry is in its events', 30, async () => {
      const { body } = await owner.get('/v1/jobs/second/events?type=job.submitted');
      const [event] = (body as { items: { data: object }[] }).items;
      if (event === undefined) return undefined;
      expect(event.data).toMatchObject({ by: 'owner', retryOf: first?.metadata.uid, retryOfName: 'first' });
      return true;
    });
    const again = await owner.post('/v1/jobs/first/retry?new_name=second');
    expect([again.status, problemDetail(again)]).toEqual([409, expect.stringContaining('already exists')]);
  });

  it('runs only the indexes that have not succeeded when the caller requests it, and is then complete', async () => {
    const failed = join(tmpdir(), `jobledger-retry-${process.pid}`);
    const script = `if [ $JOB_COMPLETION_INDEX = 1 ] && [ ! -e ${failed} ]; then touch ${failed}; exit 1; fi`;
    const indexes = { completions: 4, parallelism: 4, completionMode: 'Indexed', backoffLimitPerIndex: 0 };
    const { spec, ...rest } = manifest('parts', ['sh', '-c', script]);
    const indexed = { ...rest, spec: { ...spec, ...indexes } };
    expect((await owner.post('/v1/clusters/local/jobs', indexed)).status).toBe(201);
    await eventually('the first try is in SQL', 60, async () => {
      const { body } = await owner.get('/v1/jobs/parts');
      return (body as { status: string }).status === 'Failed' ? true : undefined;
    });
    const asked = '/v1/jobs/parts/retry?failed_indexes=true&new_name=parts-again';
    expect(await owner.post(asked)).toMatchObject({ status: 201, body: { name: 'parts-again' } });
    const again = await installation.cluster.finished('parts-again');
    expect(again.spec.completions).toBe(4);
    expect(again.status).toMatchObject({ succeeded: 1, completedIndexes: '1' });
    expect(trueCondition(again.status ?? {}, 'Complete')).toMatchObject({ reason: 'CompletionsReached' });
    const pods = await installation.cluster.listPods('parts-again');
    expect(
      pods.map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index']),
    ).toEqual(['1']);
    const whole = await owner.post('/v1/jobs/first/retry?failed_indexes=true');
    expect([whole.status, problemDetail(whole)]).toEqual([
      409,
      expect.stringContaining('the Job is not Indexed'),
    ]);
    rmSync(failed, { force: true });
  }, 120_000);

  it('gets a name that begins with the name of the earlier Job', async () => {
    const answer = await owner.post('/v1/jobs/first/retry');
    expect(answer).toMatchObject({
      status: 201,
      body: { name: expect.stringMatching(/^first-[a-z0-9]{5}$/) },
    });
  });

  it('is refused when the cluster no longer has the earlier Job and the ledger lacks parts of its spec', async () => {
    await removed('first');
    const answer = await owner.post('/v1/jobs/first/retry');
    expect([answer.status, problemDetail(answer)]).toEqual([
      409,
      'cannot retry local/default/first: the cluster no longer has it, and the ledger does not contain spec.template.spec.containers[0].env[0].value, spec.template.spec.containers[0].command; submit its manifest',
    ]);
  });

  it('is created from the ledger when the cluster no longer has the earlier Job and the ledger has the whole spec', async () => {
    const containers = [{ name: 'main', image: 'none' }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'plain' },
      spec: { completions: 0, template },
    };
    expect((await owner.post('/v1/clusters/local/jobs', job)).status).toBe(201);
    const plain = await installation.cluster.finished('plain');
    await ended('plain');
    await removed('plain');
    expect(await owner.post('/v1/jobs/plain/retry?new_name=plain-again')).toMatchObject({ status: 201 });
    const again = await installation.cluster.finished('plain-again');
    expect(again.spec.template?.spec).toEqual(plain.spec.template?.spec);
    expect(again.metadata.annotations).toMatchObject({ 'jobledger.dev/retry-of': plain.metadata.uid });
  });

  it('is refused when the earlier Job has not ended, or the new name is invalid', async () => {
    const running = await owner.post('/v1/jobs/waiting/retry');
    expect([running.status, problemDetail(running)]).toEqual([
      409,
      expect.stringContaining('it has not ended'),
    ]);
    const invalid = await owner.post('/v1/jobs/second/retry?new_name=Not%20A%20Name');
    expect([invalid.status, problemDetail(invalid)]).toEqual([
      422,
      expect.stringContaining('metadata.name: Invalid value'),
    ]);
  });
});

/** Each operation has a request about a Job, a pod or an instant; `name` is the name of the Job or pod. */
const ABOUT: Record<string, (name: string, namespace: string) => string> = {
  listJobs: (name) => `/v1/jobs?name=${name}`,
  countJobs: (name) => `/v1/counts?name=${name}`,
  getHistogram: (name) => `/v1/histogram?from=2026-01-01T00:00:00Z&before=2100-01-01T00:00:00Z&name=${name}`,
  listGroups: (_name, namespace) => `/v1/groups?by=status&namespace=${namespace}`,
  getJob: (name) => `/v1/jobs/${name}`,
  getChain: (name) => `/v1/jobs/${name}/chain`,
  listPods: (name) => `/v1/jobs/${name}/pods`,
  listEventsOfJob: (name) => `/v1/jobs/${name}/events`,
  listKubernetesEvents: (name) => `/v1/jobs/${name}/kubernetes-events`,
  listDecisions: (name) => `/v1/jobs/${name}/decisions`,
  whyJob: (name) => `/v1/jobs/${name}/why`,
  whyIndex: (name) => `/v1/jobs/${name}/why/index?index=0`,
  whyPod: (name) => `/v1/pods/${name}/why`,
  getJobOfPod: (name) => `/v1/pods/${name}/job`,
  whoami: () => '/v1/whoami',
  whatIf: (name) => `/v1/jobs/${name}/what-if?set=backoffLimit%3D0`,
  whatIfPlacements: (name) => `/v1/jobs/${name}/what-if/placements?without_cluster=west`,
  whatIfOfJobs: (name) => `/v1/what-if?set=backoffLimit%3D0&name=${name}`,
  replayJob: (name) => `/v1/jobs/${name}/replay`,
  replayJobByStep: (name) => `/v1/jobs/${name}/replay/steps`,
  getJobAsOf: (name) => `/v1/jobs/${name}/as-of?at=2100-01-01T00:00:00Z`,
  listJobsAsOf: (_name, namespace) => `/v1/as-of?at=2100-01-01T00:00:00Z&namespace=${namespace}`,
  listClusters: () => '/v1/clusters',
  listPlaced: () => '/v1/clusters/local/placed',
  listPlacements: (name) => `/v1/jobs/${name}/placements`,
  cordonCluster: () => '/v1/clusters/local/cordon',
  drainCluster: () => '/v1/clusters/local/drain',
  uncordonCluster: () => '/v1/clusters/local/uncordon',
  lostCluster: () => '/v1/clusters/local/lost',
  foundCluster: () => '/v1/clusters/local/found',
  listPrices: () => '/v1/prices',
  getUsage: (_name, namespace) => `/v1/usage?by=team&namespace=${namespace}`,
  applyPrices: () => '/v1/prices?dry_run=true',
  sendAuditRecords: () => '/v1/audit/local',
  listGaps: () => '/v1/gaps',
  getInstallation: () => '/v1/installation',
  readEvents: (name, namespace) => `/v1/events?limit=500&job=${name}&namespace=${namespace}`,
  suspendJob: (name) => `/v1/jobs/${name}/suspend`,
  resumeJob: (name) => `/v1/jobs/${name}/resume`,
  listCronJobs: (name) => `/v1/cronjobs?name=${name}`,
  getCronJob: (name) => `/v1/cronjobs/${name}`,
  listStarts: (name) => `/v1/cronjobs/${name}/starts`,
  listSkippedStarts: (name) => `/v1/cronjobs/${name}/skipped`,
  listEventsOfCronJob: (name) => `/v1/cronjobs/${name}/events`,
  whatIfOfCronJob: (name) => `/v1/cronjobs/${name}/what-if?set=suspend%3Dtrue`,
  submitJob: () => '/v1/clusters/local/jobs?dry_run=true',
  retryJob: (name) => `/v1/jobs/${name}/retry?dry_run=true`,
  isAlive: () => '/healthz',
  isReady: () => '/readyz',
};

describe('a caller whose token is for one namespace', () => {
  let team: ApiClient;
  let secrets: string[];

  beforeAll(async () => {
    const tokens = join(installation.stateDir, 'api', 'tokens');
    const places = [{ cluster: 'local', namespace: 'batch' }];
    const line = tokenLine({ name: 'team', scopes: ['read', 'submit', 'operate'], places }, 'token-of-team');
    appendFileSync(tokens, line);
    team = apiClient(installation.api.url, 'token-of-team');
    await insertCronJob('default', 'waiting');
    await insertCronJob('batch', 'mine');
    await eventually('the token is known', 30, async () =>
      (await team.get('/v1/jobs')).status === 200 ? true : undefined,
    );
    const rows = await installation.sql<{ secret: string }>(
      `select uid as secret from jobledger.jobs where namespace = 'default'
        union all select name from jobledger.pods where namespace = 'default'`,
    );
    secrets = [...rows.map(({ secret }) => secret), '"namespace":"default"', 'local/default/'];
  });

  it('receives from each operation the same answer about an existing and a missing object of another namespace', async () => {
    const operations = Object.values((await document()).paths).flatMap((methods) =>
      Object.entries(methods).map(([method, { operationId }]) => [method, operationId] as const),
    );
    expect(operations.map(([, operationId]) => operationId).toSorted()).toEqual(
      Object.keys(ABOUT).toSorted(),
    );
    const [pod] = await installation.sql<{ name: string }>(
      `select name from jobledger.pods where namespace = 'default' and job_name = 'waiting'`,
    );
    expect(secrets.length).toBeGreaterThan(4);
    for (const [method, operationId] of operations) {
      const about = ['whyPod', 'getJobOfPod'].includes(operationId) ? (pod?.name ?? '') : 'waiting';
      const ask = async (name: string, namespace: string): Promise<unknown> => {
        const path = ABOUT[operationId]?.(name, namespace) ?? '';
        const job = manifest('new', ['true'], { namespace });
        const answer =
          method === 'get'
            ? await team.get(path)
            : await team.post(path, operationId === 'submitJob' ? job : undefined);
        const text = JSON.stringify(answer.body);
        // Positions, request ids and the times of watches differ from one request to the next.
        const same = text.replace(
          /"(request_id|next|(jobs|pods)_received_at|detail":"the tables)[^,}]*/g,
          '',
        );
        return [answer.status, same.replaceAll(name, 'NAME').replaceAll(namespace, 'NAMESPACE')];
      };
      const [real, unreal] = [await ask(about, 'default'), await ask(`x${about}`, 'nowhere')] as [
        unknown[],
        unknown[],
      ];
      expect([operationId, ...real.slice(0, 2)]).toEqual([operationId, ...unreal.slice(0, 2)]);
      for (const secret of secrets)
        expect([operationId, String(real[1]).includes(secret)]).toEqual([operationId, false]);
    }
  });

  it('sees in lists and counts only the objects of the namespace', async () => {
    for (const path of ['/v1/jobs?', '/v1/as-of?at=2100-01-01T00:00:00Z', '/v1/events?limit=500']) {
      const { body } = await team.get(path);
      expect((body as { items: unknown[] }).items.length).toBeGreaterThan(0);
      for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    }
    expect((await team.get('/v1/clusters')).body).toMatchObject({
      items: [
        { name: 'local', job_count: 1, unfinished_count: 0, active_pod_count: 0, dead_letter_count: null },
      ],
    });
    expect((await team.get('/v1/groups?by=namespace')).body).toEqual({
      items: [{ value: 'batch', job_count: 1, active: 0, message: null }],
    });
    expect((await team.get('/v1/installation')).body).toMatchObject({ dead_letter_count: null });
    const histogram = await team.get(
      '/v1/histogram?from=2020-01-01T00:00:00Z&before=2100-01-01T00:00:00Z&buckets=1',
    );
    expect(histogram.body).toMatchObject({ buckets: [{ created: 1 }] });
    expect((await team.get('/v1/jobs/twin')).body).toMatchObject({ namespace: 'batch' });
    const cronJobs = (await team.get('/v1/cronjobs')).body as { items: { namespace: string }[] };
    expect(cronJobs.items.map(({ namespace }) => namespace)).toEqual(['batch', 'batch']);
    expect((await team.get('/v1/cronjobs/mine')).body).toMatchObject({ namespace: 'batch' });
    expect(await team.get('/v1/cronjobs/waiting')).toMatchObject({
      status: 404,
      body: { type: 'urn:jobledger:problem:unknown-cron-job' },
    });
  });

  it('may submit Jobs in this namespace only', async () => {
    const submit = (namespace: string, cluster = 'local'): Promise<ApiAnswer> =>
      team.post(`/v1/clusters/${cluster}/jobs?dry_run=true`, manifest('new', ['true'], { namespace }));
    expect((await submit('batch')).status).toBe(200);
    for (const answer of [await submit('default'), await submit('nowhere'), await submit('batch', 'mars')])
      expect(answer).toMatchObject({ status: 403, body: { type: 'urn:jobledger:problem:forbidden' } });
  });

  it('receives only the events of the namespace in a stream, until the token is removed', async () => {
    const stream = await openEventStream(`${installation.api.url}/v1/events?from=start`, {
      authorization: 'Bearer token-of-team',
    });
    await eventually('events have arrived', 30, async () => (stream.events.length > 3 ? true : undefined));
    for (const secret of secrets) expect(JSON.stringify(stream.events)).not.toContain(secret);
    const tokens = join(installation.stateDir, 'api', 'tokens');
    const lines = readFileSync(tokens, 'utf8').split('\n');
    writeFileSync(tokens, lines.filter((line) => !line.startsWith('team ')).join('\n'));
    expect(await stream.over).toBe('ended');
    expect((await team.get('/v1/jobs')).status).toBe(401);
  });
});

describe('a stream of events', () => {
  const open = (query: string, lastEventId?: string): Promise<EventStream> =>
    openEventStream(
      `${installation.api.url}/v1/events?${query}`,
      { authorization: 'Bearer token-of-reader' },
      lastEventId,
    );

  it('sends each event of a Job once, in order, although the API is stopped, killed and started again', async () => {
    const query = 'cluster=local&namespace=default&job=waiting';
    const first = await open(`${query}&from=start`);
    const got = [first];
    // Submissions are in another partition, so their place among the other events may vary.
    const isOfJob = (id: string): boolean => !id.startsWith('local/submission/');
    const all = (): string[] =>
      got.flatMap(({ events }) => events.map(({ event }) => event.id)).filter(isOfJob);
    const types = (): string[] => got.flatMap(({ events }) => events.map(({ event }) => event.type));
    await eventually('past events have arrived', 30, async () =>
      first.events.length > 3 ? true : undefined,
    );

    expect((await robot.post('/v1/jobs/waiting/suspend?by=alice')).status).toBe(202);
    await installation.cluster.jobWhere('waiting', 'is suspended', ({ spec }) => spec.suspend === true, 60);
    await eventually('the request has arrived', 30, async () =>
      types().includes('dev.jobledger.request.received.v1') ? true : undefined,
    );
    await installation.haltServices(['api']);
    expect(await first.over).toBe('ended');
    await installation.startServices(['api']);

    const second = await open(query, first.lastId);
    got.push(second);
    expect((await robot.post('/v1/jobs/waiting/resume')).status).toBe(202);
    await installation.cluster.jobWhere('waiting', 'runs again', ({ status }) => status?.active === 1, 60);
    await eventually('the resumption has arrived', 30, async () =>
      second.events.length > 2 ? true : undefined,
    );
    await installation.kill('api');
    await second.over;
    await installation.answers('api');

    // A reader whose connection broke resumes after the last event that it received.
    const third = await open(query, second.events.at(-1)?.id);
    got.push(third);
    writeFileSync(goOn, '');
    await installation.cluster.finished('waiting');
    const recorded = await eventually('the end has arrived', 60, async () => {
      const rows = await installation.sql<{ id: string; done: boolean }>(
        `select e.id, j.kubectl_status = 'Complete' and j.ready = 0 as done from jobledger.events e
         join jobledger.jobs j on j.cluster = e.cluster and j.uid = e.job_uid
         where e.job_name = 'waiting' order by kafka_offset`,
      );
      const isWhole = rows[0]?.done === true && all().length >= rows.length;
      return isWhole ? rows.map(({ id }) => id) : undefined;
    });
    expect(all().slice(0, recorded.length)).toEqual(recorded);
    expect(new Set(all()).size).toBe(all().length);
    const userRequests = await installation.sql(
      "select data ->> 'action' as action, data ->> 'by' as by from jobledger.events where type = 'request.received' order by kafka_offset",
    );
    expect(userRequests).toEqual([
      { action: 'suspend', by: 'alice (by robot)' },
      { action: 'resume', by: 'robot' },
    ]);
    third.close();
  }, 180_000);

  it('sends only matching events, from the requested start', async () => {
    const decisions = await open('type=job.decided&from=start');
    const later = await open('');
    await eventually('decisions have arrived', 30, async () =>
      decisions.events.length > 3 ? true : undefined,
    );
    expect(new Set(decisions.events.map(({ event }) => event.type))).toEqual(
      new Set(['dev.jobledger.job.decided.v1']),
    );
    expect(later.events).toEqual([]);
    decisions.close();
    later.close();
  });

  it('is refused with 503 while the maximum number of streams is open', async () => {
    const streams = await Promise.all([1, 2, 3].map(() => open('')));
    const refused = await eventually('one more is refused', 10, async () => {
      const more = await open('');
      more.close();
      return more.status === 503 ? more : undefined;
    });
    expect(refused.events).toEqual([]);
    for (const stream of streams) stream.close();
    await eventually('a closed one makes room', 10, async () => {
      const again = await open('');
      again.close();
      return again.status === 200 ? true : undefined;
    });
  });
});

describe('a user request that cannot be carried out', () => {
  it('is refused with 409 and the reason', async () => {
    const answer = await robot.post('/v1/jobs/twin/suspend?namespace=batch');
    expect([answer.status, problemDetail(answer)]).toEqual([
      409,
      expect.stringMatching(/^cannot suspend local\/batch\/twin: it has been Complete since 2/),
    ]);
  });
});

describe('the information of the API about itself', () => {
  it('contains the number of its requests by route and status code', async () => {
    const samples = await eventually('streams that were closed are no longer counted', 10, async () => {
      const found = await samplesAt(installation.metrics['api']);
      return found.get('http_streams') === 0 ? found : undefined;
    });
    const counted = findSamples(samples, 'http_request_duration_seconds_count');
    expect(counted['{code="409",method="POST",route="/v1/jobs/:job/suspend"}']).toBe(1);
  });

  it('names a server that is down, and requests that do not need this server are still answered', async () => {
    await installation.kill('kafka');
    const readiness = await eventually('the part is reported', 30, async () => {
      const { status, body } = await owner.get('/readyz');
      const found = body as { status: string; parts: Record<string, { status: string }> };
      return found.parts['kafka']?.status === 'down' ? { code: status, ...found } : undefined;
    });
    expect(readiness).toMatchObject({ code: 200, status: 'degraded', parts: { postgres: { status: 'ok' } } });
    expect((await owner.get('/v1/jobs')).status).toBe(200);
    await installation.answers('kafka');
    await eventually('everything answers', 60, async () => {
      const { body } = await owner.get('/readyz');
      return (body as { status: string }).status === 'ready' ? true : undefined;
    });
  });
});

describe('a user request that was answered with 202', () => {
  it('is carried out although the run of the workflow is terminated before the run reads the signal', async () => {
    const { cluster } = installation;
    await submitted('wanted', ['sleep', '300']);
    const { metadata } = await cluster.jobWhere(
      'wanted',
      'has a ready pod',
      ({ status }) => status?.ready === 1,
    );
    await installation.haltServices(['dispatcher']);
    expect((await robot.post('/v1/jobs/wanted/suspend?by=alice')).status).toBe(202);
    const temporal = await installation.temporal();
    await temporal.workflow.getHandle(workflowId('local', metadata.uid, 'Job')).terminate('by the test');
    await temporal.connection.close();
    await installation.startServices(['dispatcher']);
    const { spec } = await cluster.jobWhere(
      'wanted',
      'is suspended',
      ({ status }) => status?.active === undefined,
    );
    expect(spec.suspend).toBe(true);
    const recorded = await installation.sql<{ by: string }>(
      `select data ->> 'by' as by from jobledger.events where type = 'request.received' and job_name = 'wanted'`,
    );
    expect(recorded).toEqual([{ by: 'alice (by robot)' }]);
  });
});
