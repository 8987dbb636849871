import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadYaml } from '../support/yaml.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { leasePermit } from '../../services/ingester/append/append-queue.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { jobObject } from '../support/builders.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { ledgerEvents } from '../support/ledger-events.ts';
import { samplesAt, findSamples } from '../support/metrics.ts';
import { REDACTION } from '../support/redaction.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';
import { startServers } from '../support/shared-servers/start-servers.ts';

// One ingester has three contexts: a cluster, a second cluster with a token from a file, and the first under another name.
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-ingester-'));
const at = (name: string): string => join(stateDir, name);
let servers: LocalServers;
let services: Supervisor;
let east: TestCluster;
let west: TestCluster;
let environment: NodeJS.ProcessEnv;
let metrics: string;

beforeAll(async () => {
  const quiet = { node: false, builtInJobController: false };
  const clusters = ['east', 'west'].map((name) => ({ name, ...quiet }));
  const started = await startServers({ stateDir, kafka: true, clusters });
  servers = started.servers;
  const { adminKubeconfig = '' } = servers.addresses;
  [east, west] = [connectTestCluster(adminKubeconfig, 'east'), connectTestCluster(adminKubeconfig, 'west')];
  const port = await reservePorts(at('ports.json'), ['ingester-metrics']);
  metrics = `${LOOPBACK}:${port('ingester-metrics')}`;
  environment = {
    ...process.env,
    ...started.environment,
    JOBLEDGER_KUBECONFIG: kubeconfig(),
    JOBLEDGER_CONTEXTS: 'east,west,twin',
  };
  services = createSupervisor({ runDir: at('run-services'), logsDir: at('logs'), report: () => undefined });
  for (const name of ['west', 'twin']) writeFileSync(at(`${name}.token`), 'expired');
  await startIngester('ingester', environment);
}, 240_000);

afterAll(async () => {
  await services?.stop();
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

async function startIngester(name: string, variables: NodeJS.ProcessEnv): Promise<void> {
  const [spec] = serviceChildren(variables, { metrics: name === 'ingester' ? { ingester: metrics } : {} });
  if (spec?.name !== 'ingester') throw new Error('the ingester is the first service');
  await services.start({ ...spec, name });
}

const SOME_TIME = '2026-03-01T12:00:00.000Z';
const SCOPE = { cluster: 'east', claim: 'managed' as const, redaction: REDACTION };

interface Kubeconfig {
  clusters: { name: string; cluster: object }[];
  users: { name: string; user: object }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
}

/** Writes a kubeconfig in which `west`, and `twin` for the cluster of `east`, sign in with a token from a file. */
function kubeconfig(): string {
  const config = loadYaml<Kubeconfig>(readFileSync(servers.addresses.kubeconfig ?? '', 'utf8'));
  const users = ['west', 'twin'].map((name) => ({ name, user: { tokenFile: `${name}.token` } }));
  const contexts = [
    ...config.contexts.filter(({ name }) => name !== 'west'),
    { name: 'west', context: { cluster: 'west', user: 'west' } },
    { name: 'twin', context: { cluster: 'east', user: 'twin' } },
  ];
  const text = JSON.stringify({ ...config, users: [...config.users, ...users], contexts });
  writeFileSync(at('three.kubeconfig'), text);
  return at('three.kubeconfig');
}

const refused = async (): Promise<Record<string, number>> =>
  findSamples(await samplesAt(metrics), 'jobledger_cluster_refused');

/** Returns a token of the ServiceAccount, issued by the API server. */
async function token({ client }: TestCluster): Promise<string> {
  const answer = await client.request<{ status: { token: string } }>({
    method: 'POST',
    path: '/api/v1/namespaces/jobledger/serviceaccounts/jobledger/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return answer.status.token;
}

async function observed(name: string, variables = environment): Promise<JobEvent> {
  return eventually(`${name} is in the ledger`, 30, async () =>
    (await ledgerEvents(variables)).find(
      (event) => event.type === 'job.observed' && event.subject === `default/${name}`,
    ),
  );
}

describe('an ingester to whose credentials some clusters answer 401', () => {
  it('starts nevertheless, and records the cluster that accepts it', async () => {
    await east.createJob('of-east', {}, {});
    expect((await observed('of-east')).source).toBe('east');
    expect(await refused()).toEqual({
      '{cluster="east"}': 0,
      '{cluster="twin"}': 1,
      '{cluster="west"}': 1,
    });
    expect(readFileSync(at('logs/ingester.log'), 'utf8')).toMatch(
      /"level":50.*"cluster":"west".*Unauthorized; check the credentials/,
    );
  });

  it('records a cluster, without a restart, after the token file of the cluster was renewed', async () => {
    const pid = services.pid('ingester');
    for (const [name, cluster] of Object.entries({ west, twin: east }))
      writeFileSync(at(`${name}.token`), await token(cluster));
    await west.createJob('of-west', {}, {});
    expect((await observed('of-west')).source).toBe('west');
    expect((await refused())['{cluster="west"}']).toBe(0);
    expect(services.pid('ingester')).toBe(pid);
  }, 120_000);

  it('records a cluster that is configured under two names only under the first name', async () => {
    await eventually('the reason is logged', 30, async () =>
      readFileSync(at('logs/ingester.log'), 'utf8').includes('\\"twin\\" and \\"east\\" are the same cluster')
        ? true
        : undefined,
    );
    expect((await refused())['{cluster="twin"}']).toBe(1);
    expect(new Set((await ledgerEvents(environment)).map(({ source }) => source))).toEqual(
      new Set(['east', 'west']),
    );
  }, 60_000);
});

describe('a second installation on the same cluster', () => {
  it('has its own ledger and its own Lease, and both installations record the cluster', async () => {
    const other = {
      ...environment,
      JOBLEDGER_CONTEXTS: 'east',
      JOBLEDGER_LEDGER_TOPIC: topicBeside(environment, 'other.ledger'),
      JOBLEDGER_METRICS_ADDRESS: 'off',
    };
    await startIngester('ingester-of-another', other);
    await east.createJob('of-both', {}, {});
    const [ours, theirs] = [await observed('of-both'), await observed('of-both', other)];
    expect(theirs.id).toBe(ours.id);
    const path = '/apis/coordination.k8s.io/v1/namespaces/jobledger/leases';
    const { items } = await east.client.request<{ items: { metadata: { name: string } }[] }>({
      method: 'GET',
      path,
    });
    const names = items.map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^jobledger-ingester-east-[0-9a-f]{10}$/);
  }, 90_000);
});

describe('an append to the ledger that waits for an earlier append', () => {
  it('is not sent when the ingester has lost its Lease during the wait', async () => {
    const variables = { ...environment, JOBLEDGER_LEDGER_TOPIC: topicBeside(environment, 'turns.ledger') };
    const config = readConfig(kafkaEnvironment, variables);
    const connection = connectKafka(config, silentLog());
    await ensureTopics(connection, new AbortController().signal);
    const appender = await createAppender(connection);
    const event = (name: string): JobEvent =>
      translateJob(SCOPE, jobObject({ name, uid: `uid-of-${name}` }), SOME_TIME).events[0] as JobEvent;
    let isHeld = true;
    const first = appender.append([event('first')]);
    // The second append is requested in time, and waits until the first append is acknowledged.
    const second = appender.append(
      [event('second')],
      leasePermit(() => isHeld),
    );
    isHeld = false;
    await first;
    await expect(second).rejects.toThrow(/did not accept/);
    await appender.close();
    const found = await ledgerEvents(variables);
    expect(found.map(({ subject }) => subject)).toEqual(['default/first']);
  }, 60_000);
});
