import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadYaml } from '../support/yaml.ts';
import { BOARDS } from '../../infra/deploy/grafana/boards/boards.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { readLiveTopic } from '../../services/live-topic/live-topic.ts';
import type { LivePod } from '../../services/ingester/live-set/live-set.ts';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { samplesAt, findSamples } from '../support/metrics.ts';
import { parsePromQl } from '../support/promql.ts';

const PASSWORD = 'correct-horse-battery-staple';
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-metrics-'));

let installation: Installation;
let worker: Map<string, number>;

/** The installation runs every kind of Job that the metrics distinguish, with 14 pods together. */
beforeAll(async () => {
  installation = await install({
    separate: true,
    api: true,
    clusters: [{ name: 'local', audit: true, builtInTtlController: false }],
    environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '200', JOBLEDGER_CONTROLLERS: 'job,ttl' },
  });
  await installation.startServices();
  const { cluster } = installation;
  const containers = [
    {
      name: 'main',
      image: 'none',
      command: ['true', PASSWORD],
      env: [{ name: 'TOKEN', value: PASSWORD }],
    },
  ];
  await cluster.createJob('foreign', { managedBy: 'example.com/other' }, {});
  await Promise.all([
    cluster.createJob('plain', { completions: 2, parallelism: 2 }, { containers }),
    cluster.createJob('flaky', { backoffLimit: 1 }, { command: exiting('flaky', 1) }),
    cluster.createJob('hopeless', { backoffLimit: 0 }, { command: ['false'] }),
    cluster.createJob('indexed', { completionMode: 'Indexed', completions: 3, parallelism: 3 }, {}),
    cluster.createJob(
      'per-index',
      { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0 },
      { command: ['sh', '-c', 'exit $JOB_COMPLETION_INDEX'] },
    ),
    cluster.createJob(
      'failing',
      { podFailurePolicy: { rules: [onExit('FailJob', 42)] } },
      { command: ['sh', '-c', 'exit 42'] },
    ),
    cluster.createJob(
      'choosy',
      { podFailurePolicy: { rules: [onExit('Ignore', 7), onExit('Count', 8)] } },
      { command: exiting('choosy', 7, 8) },
    ),
  ]);
  const names = ['plain', 'flaky', 'hopeless', 'indexed', 'per-index', 'failing', 'choosy'];
  await Promise.all(names.map((name) => cluster.finished(name)));
  await cluster.patchJob('hopeless', { spec: { ttlSecondsAfterFinished: 0 } });
  await eventually('hopeless is gone', 15, async () =>
    (await cluster.job('hopeless')) === undefined ? true : undefined,
  );
  worker = await eventually('the deletion is counted', 10, async () => {
    const samples = await samplesAt(installation.metrics['worker']);
    return samples.get(`${DELETIONS}_count`) === 1 ? samples : undefined;
  });
}, 180_000);

afterAll(() => installation?.stop(), 30_000);

const DELETIONS = 'ttl_after_finished_controller_job_deletion_duration_seconds';

/** Returns a command with which pods end with these codes one after the other, and then with 0. */
function exiting(name: string, ...codes: number[]): string[] {
  const folder = mkdtempSync(join(scratch, `${name}-`));
  const tries = codes.map((code, at) => `mkdir ${folder}/${at} 2>/dev/null && exit ${code}`);
  return ['sh', '-c', [...tries, 'exit 0'].join('; ')];
}

function onExit(action: string, code: number) {
  return { action, onExitCodes: { operator: 'In', values: [code] } };
}

function counted(metric: string): Record<string, number> {
  return findSamples(worker, `job_controller_${metric}{`);
}

describe('the metrics of the worker', () => {
  it('count exactly the finished Jobs, by mode, result and reason (J-11.1)', () => {
    expect(counted('jobs_finished_total')).toEqual({
      'completion_mode="NonIndexed",reason="CompletionsReached",result="succeeded"}': 3,
      'completion_mode="NonIndexed",reason="BackoffLimitExceeded",result="failed"}': 1,
      'completion_mode="NonIndexed",reason="PodFailurePolicy",result="failed"}': 1,
      'completion_mode="Indexed",reason="CompletionsReached",result="succeeded"}': 1,
      'completion_mode="Indexed",reason="FailedIndexes",result="failed"}': 1,
    });
  });

  it('count exactly the finished pods, by mode and result (J-11.3)', () => {
    expect(counted('job_pods_finished_total')).toEqual({
      'completion_mode="NonIndexed",result="succeeded"}': 4,
      'completion_mode="NonIndexed",result="failed"}': 4,
      'completion_mode="Indexed",result="succeeded"}': 4,
      'completion_mode="Indexed",result="failed"}': 1,
    });
  });

  it('count exactly the created pods, by reason (J-11.3)', () => {
    expect(counted('job_pods_creation_total')).toEqual({
      'reason="new",status="succeeded"}': 12,
      'reason="recreate_terminating_or_failed",status="succeeded"}': 1,
      'reason="recreate_failed",status="succeeded"}': 1,
    });
  });

  it('count exactly the pod failures that a rule of a podFailurePolicy matched, by action (J-11.1)', () => {
    expect(counted('pod_failures_handled_by_failure_policy_total')).toEqual({
      'action="FailJob"}': 1,
      'action="Ignore"}': 1,
      'action="Count"}': 1,
    });
  });

  it('count exactly the finished indexes, by result and kind of back-off limit (J-11.1)', () => {
    expect(counted('job_finished_indexes_total')).toEqual({
      'backoffLimit="global",status="succeeded"}': 3,
      'backoffLimit="perIndex",status="succeeded"}': 1,
      'backoffLimit="perIndex",status="failed"}': 1,
    });
  });

  it('count exactly one sync for each decision on an unfinished Job, with its duration (J-11.2)', async () => {
    const [decisions] = await eventually('every decision in SQL', 10, async () => {
      const found = await installation.sql<{ syncs: number; ends: number }>(
        `select count(*) filter (where not data->'waiting' @> '{"rule":"J-10.2"}' and not data->'commands' @> '[{"kind":"DeleteJob"}]' and not data->'commands' @> '[{"why":{"rule":"J-3.46"}}]')::int as syncs,
           count(*) filter (where data->'commands' @> '[{"kind":"DeleteJob"}]')::int as ends
         from jobledger.events where type = 'job.decided' and job_name <> 'foreign'`,
      );
      return found[0]?.ends === 1 ? found : undefined;
    });
    const syncs = counted('job_syncs_total');
    expect(sum(Object.values(syncs))).toBe(decisions?.syncs);
    const times = findSamples(worker, 'job_controller_job_sync_duration_seconds_count{');
    expect(times).toEqual(syncs);
    const actions = Object.keys(syncs).map((labels) => /action="(\w+)"/.exec(labels)?.[1]);
    expect(new Set(actions)).toEqual(new Set(['pods_created', 'tracking', 'reconciling']));
    expect(Object.keys(syncs).filter((labels) => !labels.includes('result="success"'))).toEqual([]);
  });

  it('measure durations in the same buckets as the built-in controller (J-11.1, J-11.4)', () => {
    const bounds = (metric: string): number[] =>
      [
        ...new Set(
          Object.keys(findSamples(worker, `${metric}_bucket{`)).map((labels) =>
            Number(/le="([^"]*)"/.exec(labels)?.[1]?.replace('+Inf', 'Infinity')),
          ),
        ),
      ].toSorted((a, b) => a - b);
    expect(bounds('job_controller_job_sync_duration_seconds')).toEqual([
      ...Array.from({ length: 15 }, (_none, power) => 0.004 * 2 ** power),
      Infinity,
    ]);
    expect(bounds(DELETIONS)).toEqual([
      ...Array.from({ length: 14 }, (_none, power) => 0.1 * 2 ** power),
      Infinity,
    ]);
  });

  it('count exactly as many successful creations as the audit log of the API server has (J-11.4)', async () => {
    const created = installation
      .audit()
      .filter(
        ({ verb, user, objectRef, responseStatus }) =>
          verb === 'create' &&
          OUR_USERS.includes(user.username) &&
          ['pods', 'events'].includes(objectRef?.resource ?? '') &&
          responseStatus?.code === 201,
      );
    const requests = await samplesAt(installation.metrics['worker']);
    expect(sum(Object.values(findSamples(requests, 'rest_client_requests_total{code="201",')))).toBe(
      created.length,
    );
  });
});

/** The live topic may be a second behind, and an ingester that was killed counts the changes of that second again (decision 52). */
async function podsAreStored(): Promise<void> {
  const kafka = connectKafka(readConfig(kafkaEnvironment, installation.environment), silentLog());
  await eventually('the live topic has the present pods', 20, async () => {
    const path = '/api/v1/pods';
    const { items } = await installation.cluster.client.request<{ items: Pod[] }>({ method: 'GET', path });
    const present = items.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`);
    const records = (await readLiveTopic(kafka)).filter(({ kind }) => kind === 'pods');
    const stored = records.map(({ key, value }) => `${key} ${(value as LivePod).resourceVersion}`);
    return stored.toSorted().join() === present.toSorted().join() ? true : undefined;
  });
}

describe('the metrics of the ingester', () => {
  it('count exactly the Jobs of other controllers (J-11.3)', async () => {
    const samples = await samplesAt(installation.metrics['ingester']);
    expect(findSamples(samples, 'job_controller_jobs_by_external_controller_total{')).toEqual({
      'controller_name="example.com/other"}': 1,
    });
  });

  it('count each ended pod once with its finalizer and once without it, and not again after a restart (J-11.3)', async () => {
    const metric = 'job_controller_terminated_pods_tracking_finalizer_total{';
    const samples = await samplesAt(installation.metrics['ingester']);
    expect(findSamples(samples, metric)).toEqual({ 'event="add"}': 14, 'event="delete"}': 14 });
    await podsAreStored();
    await installation.kill('ingester');
    await installation.answers('ingester');
    const anew = await eventually('the live set is counted', 10, async () => {
      const found = await samplesAt(installation.metrics['ingester']);
      const external = findSamples(found, 'job_controller_jobs_by_external_controller_total{');
      return Object.keys(external).length === 1 ? found : undefined;
    });
    expect(findSamples(anew, metric)).toEqual({});
  });
});

describe('the metrics about events, requests and decisions', () => {
  it('count every event by type, where it is appended and where it is read', async () => {
    // The tables are read first, because events may still arrive, and the services read them at different times.
    const rows = await installation.sql<{ type: string; count: number }>(
      'select type, count(*)::int from jobledger.events group by type',
    );
    const inLedger = await eventually('each event that was appended is read', 20, async () => {
      const [ingester, dispatcher, projector, active] = await Promise.all(
        ['ingester', 'dispatcher', 'projector', 'worker'].map((name) =>
          samplesAt(installation.metrics[name]),
        ),
      );
      const appended = added(verbCounts(ingester, 'appended'), verbCounts(active, 'appended'));
      const reads = [verbCounts(dispatcher, 'read'), verbCounts(projector, 'read')];
      // An earlier test restarted the ingester, which therefore counts only later events.
      const isRead = reads.every((read) =>
        Object.entries(appended).every(([type, count]) => (read[type] ?? 0) >= count),
      );
      return isRead && JSON.stringify(sorted(reads[0])) === JSON.stringify(sorted(reads[1]))
        ? reads[0]
        : undefined;
    });
    for (const { type, count } of rows) expect(inLedger[type]).toBeGreaterThanOrEqual(count);
  });

  it('count requests to Kafka by their name in the protocol of Kafka', () => {
    const requests = findSamples(worker, 'jobledger_kafka_requests_total{');
    const appends = sum(Object.values(verbCounts(worker, 'appended')));
    expect(requests['api="Produce"}']).toBeGreaterThan(0);
    // A request holds one or more events; this worker writes to no other topic.
    expect(requests['api="Produce"}']).toBeLessThanOrEqual(appends);
  });

  it('count decisions by rule', () => {
    const decisions = findSamples(worker, 'jobledger_decisions_total{');
    expect(Object.keys(decisions)).toEqual(
      expect.arrayContaining(['rule="J-5.13"}', expect.stringMatching(/^rule="J-[\d.]+"}$/)]),
    );
    expect(sum(Object.values(decisions))).toBeGreaterThanOrEqual(
      sum(Object.values(counted('job_syncs_total'))),
    );
  });

  it.each(['dispatcher', 'projector'])('show the lag of the %s, which falls to zero', async (reader) => {
    const known = await eventually(`the ${reader} is at the end`, 30, async () => {
      const samples = await samplesAt(installation.metrics[reader]);
      const lags = ['events', 'seconds'].flatMap((unit) =>
        Object.entries(findSamples(samples, `jobledger_lag_${unit}{`)),
      );
      return lags.length > 1 && lags.every(([, value]) => value === 0) ? lags : undefined;
    });
    for (const [labels] of known) expect(labels).toContain(`reader="${reader}"`);
  });
});

describe('every metric in a dashboard or an alert', () => {
  it('is exposed by a service', async () => {
    const dashboards = BOARDS.flatMap(({ panels }) =>
      panels.flatMap(({ query }) => ('expressions' in query ? Object.values(query.expressions) : [])),
    );
    const { groups } = loadYaml<{ groups: { rules: { expr: string }[] }[] }>(
      readFileSync('infra/deploy/prometheus/alerts.yml', 'utf8'),
    );
    const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
    const named = new Set([...dashboards, ...alerts].flatMap((text) => parsePromQl(text).metrics));
    // Prometheus itself makes this metric.
    named.delete('up');
    // Only a projector with sinks has these metrics.
    for (const what of ['deliveries', 'failures']) named.delete(`jobledger_sink_${what}_total`);
    expect(named.size).toBeGreaterThan(12);
    // The API has no such metric before its first answer has ended.
    await (await fetch(`${installation.api.url}/openapi.json`)).text();
    const missing = async (): Promise<string[]> => {
      const texts = await Promise.all(
        SERVICES.map(async (name) => (await fetch(`http://${installation.metrics[name]}/metrics`)).text()),
      );
      const shown = new Set(texts.flatMap((text) => [...text.matchAll(/^\w+/gm)].map(([name]) => name)));
      return [...named].filter((name) => !shown.has(name));
    };
    await eventually('the first answer is counted', 10, async () =>
      (await missing()).length === 0 ? true : undefined,
    ).catch(() => undefined);
    expect(await missing()).toEqual([]);
  });
});

describe('the metrics endpoint of every service', () => {
  it.each(SERVICES)('answers /healthz, and shows no secret in the metrics: %s', async (name) => {
    const address = installation.metrics[name] ?? '';
    expect(await (await fetch(`http://${address}/healthz`)).text()).toBe('ok\n');
    const text = await (await fetch(`http://${address}/metrics`)).text();
    expect(text).toContain('process_cpu_seconds_total');
    const { password } = new URL(installation.environment['DATABASE_URL'] ?? '');
    for (const secret of [PASSWORD, password, 'BEGIN CERTIFICATE'].filter((each) => each !== ''))
      expect(text).not.toContain(secret);
  });

  it('shows, in the dispatcher, how many Jobs wait for their signal (J-11.4)', async () => {
    const samples = await samplesAt(installation.metrics['dispatcher']);
    expect(findSamples(samples, 'workqueue_depth{')).toEqual({ 'name="job"}': 0 });
  });
});

/** Returns by type the number of events that a service appended or read. */
function verbCounts(samples: Map<string, number> | undefined, verb: string): Record<string, number> {
  const found = findSamples(samples ?? new Map(), `jobledger_events_${verb}_total{type="`);
  return Object.fromEntries(Object.entries(found).map(([type, count]) => [type.replace('"}', ''), count]));
}

function added(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const types = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...types].map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)]));
}

function sorted(counts: Record<string, number> = {}): [string, number][] {
  return Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
