import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { openCredentials } from '../../infra/local/cluster/credentials.ts';
import { kubeconfigText } from '../../infra/local/cluster/kubeconfig.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { makeCertificates } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { ledgerIn } from '../support/ledger-in.ts';
import { listDifferences, jobledger as run, rebuildTables } from '../support/rebuild.ts';
import { startServers } from '../support/shared-servers/start-servers.ts';

// The ingester follows the audit log of "east", the API server of "west" sends its log to the API, and no controller runs the Jobs.
const SERVICES = ['ingester', 'projector', 'api'];
const SECRET = 'hunter2';
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-who-'));

let installation: Installation;
let api: string;
let agent: Agent;

beforeAll(async () => {
  const port = await reservePorts(join(scratch, 'ports.json'), ['api']);
  api = `https://${LOOPBACK}:${port('api')}`;
  const { ca, serverCert, serverKey } = await makeCertificates(join(scratch, 'certificates'));
  agent = new Agent({ connect: { ca: readFileSync(ca) } });
  const tokens = join(scratch, 'tokens');
  writeFileSync(
    tokens,
    tokenLine({ name: 'reader', scopes: ['read'] }, 'reader-token') +
      tokenLine(
        { name: 'west-audit', scopes: ['audit'], places: [{ cluster: 'west', namespace: '*' }] },
        'west-token',
      ),
  );
  const webhook = join(scratch, 'webhook.kubeconfig');
  writeFileSync(webhook, webhookKubeconfig(`${api}/v1/audit/west`, readFileSync(ca), 'west-token'));
  const cluster = { controllers: false, audit: false, followedAuditLog: true } as const;
  const environment = {
    JOBLEDGER_API_ADDRESS: `${LOOPBACK}:${port('api')}`,
    JOBLEDGER_API_TLS_CERT: serverCert,
    JOBLEDGER_API_TLS_KEY: serverKey,
    JOBLEDGER_API_TOKENS_FILE: tokens,
  };
  installation = await install({
    separate: true,
    api: true,
    ownClusters: true,
    clusters: [
      { ...cluster, name: 'east' },
      {
        ...cluster,
        name: 'west',
        apiServerFlags: [
          `--audit-webhook-config-file=${webhook}`,
          '--audit-webhook-batch-max-wait=1s',
          '--audit-webhook-initial-backoff=1s',
        ],
      },
    ],
    environment,
    start: async (options) => {
      const started = await startServers(options);
      Object.assign(environment, {
        JOBLEDGER_AUDIT_LOGS: `east=${started.servers.addresses.auditLogs?.['east'] ?? ''}`,
      });
      return started;
    },
  });
  await installation.startServices(SERVICES);
}, 240_000);

afterAll(async () => {
  await agent?.destroy();
  await installation?.stop();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

/** An API server sends a token only over TLS. */
function webhookKubeconfig(server: string, authority: Buffer, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'jobledger', cluster: { server, 'certificate-authority-data': authority.toString('base64') } },
    ],
    users: [{ name: 'api-server', user: { token } }],
    contexts: [{ name: 'webhook', context: { cluster: 'jobledger', user: 'api-server' } }],
    'current-context': 'webhook',
  });
}

/** Runs kubectl with a certificate of this user, who may do everything. */
async function kubectl(cluster: string, user: string, ...args: string[]): Promise<string> {
  const pki = join(installation.stateDir, 'cluster', cluster, 'pki');
  const credentials = await openCredentials(pki, `${cluster}-cluster`);
  const file = join(scratch, `${cluster}-${user}.kubeconfig`);
  const entry = {
    context: cluster,
    server: serverAt(cluster),
    authority: credentials.authority,
    user,
    credentials: await credentials.client({ commonName: user, groups: ['system:masters'] }),
  };
  writeFileSync(file, kubeconfigText([entry]), { mode: 0o600 });
  const { kubectl: program = 'kubectl' } = installation.servers.addresses;
  const running = promisify(execFile)(program, args, {
    env: { PATH: process.env['PATH'], KUBECONFIG: file, KUBECACHEDIR: join(scratch, 'cache') },
  });
  running.child.stdin?.end(JSON.stringify(MANIFEST));
  return (await running).stdout;
}

function serverAt(cluster: string): string {
  const ports = JSON.parse(readFileSync(join(installation.stateDir, 'ports.json'), 'utf8')) as Record<
    string,
    number
  >;
  return `https://${LOOPBACK}:${ports[`${cluster}-kube-apiserver`]}`;
}

const MANIFEST = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', annotations: { note: SECRET } },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'none', env: [{ name: 'PASSWORD', value: SECRET }] }],
      },
    },
  },
};

/** Runs a verb as a user with the addresses of Postgres and Kafka. */
async function jobledger(...args: string[]): Promise<string> {
  const { DATABASE_URL } = installation.environment;
  const environment = { ...ledgerIn(installation.environment), DATABASE_URL };
  const { stdout, stderr, exitCode } = await run(environment, ...args, '--state-dir', installation.stateDir);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

interface Who {
  action: string;
  by: string;
  impersonated_by: string | null;
}

const whoIn = (cluster: string): Promise<Who[]> =>
  installation.sql('select action, by, impersonated_by from jobledger.who where cluster = $1 order by at', [
    cluster,
  ]);
const seen = (cluster: string, count: number): Promise<Who[]> =>
  eventually(`${count} actions in ${cluster}`, 60, async () => {
    const found = await whoIn(cluster);
    return found.length >= count ? found : undefined;
  });

const STORY = [
  { action: 'created', by: 'ann', impersonated_by: null },
  { action: 'suspended', by: 'bob', impersonated_by: null },
  { action: 'deleted', by: 'carol', impersonated_by: 'dan' },
];

describe.each(['east', 'west'])(
  'a Job that ann created, bob suspended and carol deleted, in %s',
  (cluster) => {
    it('is shown with the names of these users in SQL, although the ingester is killed between the requests', async () => {
      await kubectl(cluster, 'ann', 'create', '-f', '-');
      await seen(cluster, 1);
      await installation.kill('ingester');
      await installation.answers('ingester');
      const suspend = JSON.stringify({ spec: { suspend: true } });
      await kubectl(cluster, 'bob', 'patch', 'job', 'pi', '--type=merge', '-p', suspend);
      await seen(cluster, 2);
      await kubectl(cluster, 'dan', 'delete', 'job', 'pi', '--as=carol', '--as-group=system:masters');
      expect(await seen(cluster, 3)).toEqual(STORY);
    }, 180_000);

    it('is shown with the names of these users by why and by describe', async () => {
      const why = await jobledger('why', 'pi', '--cluster', cluster);
      expect(why).toMatch(/who created it: ann with kubectl/);
      expect(why).toMatch(/who suspended it: bob with kubectl/);
      expect(why).toMatch(/who deleted it: carol, as whom dan acted, with kubectl/);
      const described = await jobledger('describe', 'pi', '--cluster', cluster);
      expect(described).toMatch(
        /created +ann .*\n.*suspended +bob .*\n.*deleted +carol, impersonated by dan /,
      );
    }, 60_000);

    it('has no value of a request body in its events', async () => {
      const rows = await installation.sql<{ text: string }>(
        "select data::text as text from jobledger.events where cluster = $1 and type = 'api-request.audited'",
        [cluster],
      );
      expect(rows.length).toBeGreaterThanOrEqual(3);
      expect(rows.map(({ text }) => text).join()).not.toContain(SECRET);
    });
  },
);

describe('records of an audit log that are sent again in another order', () => {
  it('add no request to the tables, and are refused with the token of another cluster', async () => {
    const lines = readFileSync(installation.servers.addresses.auditLogs?.['west'] ?? '', 'utf8')
      .trim()
      .split('\n');
    const items = lines.toReversed().map((line) => JSON.parse(line) as unknown);
    const send = (cluster: string): Promise<{ statusCode: number }> =>
      request(`${api}/v1/audit/${cluster}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: 'Bearer west-token', 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items }),
      });
    const rows = (): Promise<unknown[]> =>
      installation.sql('select event_id from jobledger.api_requests order by event_id');
    const before = await rows();
    expect((await send('west')).statusCode).toBe(200);
    expect((await send('east')).statusCode).toBe(403);
    await kubectl('east', 'eve', 'create', '-f', '-');
    await eventually('a request after them', 60, async () =>
      (await rows()).length > before.length ? true : undefined,
    );
    expect((await rows()).length).toBe(before.length + 1);
  }, 90_000);
});

describe('a Job that is suspended through Jobledger', () => {
  it('has the user who requested the suspension in SQL and in the output of describe', async () => {
    await installation.clusters['east']?.createJob('asked', {}, { command: ['sleep', '300'] });
    await eventually('the Job is in SQL', 60, async () => {
      const rows = await installation.sql("select 1 from jobledger.jobs where name = 'asked'");
      return rows.length === 1 ? true : undefined;
    });
    await jobledger('suspend', 'asked', '--cluster', 'east', '--by', 'frank');
    const asked = { action: 'requested suspend', by: 'frank', impersonated_by: null };
    await eventually('the request is in SQL', 60, async () =>
      (await whoIn('east')).some((row) => isDeepStrictEqual(row, asked)) ? true : undefined,
    );
    expect(await jobledger('describe', 'asked', '--cluster', 'east')).toMatch(/requested suspend +frank /);
  }, 90_000);
});

describe('the list of clusters', () => {
  it('shows the time at which the last audited request was recorded', async () => {
    const clusters = await jobledger('clusters', '-o', 'json');
    expect(clusters.match(/"last_api_request_at": "2/g)).toHaveLength(2);
  });
});

describe('an audit record about a Job that was never observed', () => {
  it('is recorded, and makes neither verify nor an export fail', async () => {
    const { statusCode } = await request(`${api}/v1/audit/west`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: 'Bearer west-token', 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'EventList', items: [unseen()] }),
    });
    expect(statusCode).toBe(200);
    await eventually('it is in the tables', 60, async () => {
      const rows = await installation.sql(
        "select 1 from jobledger.api_requests where job_uid = 'never-seen'",
      );
      return rows.length === 1 ? true : undefined;
    });
    // The verb fails unless all streams are complete and correct.
    await jobledger('admin', 'verify', '--all');
    const exported = await jobledger('admin', 'export');
    expect(exported.match(/"type":"dev.jobledger.api-request.audited.v1"/g)?.length).toBeGreaterThanOrEqual(
      8,
    );
  }, 120_000);
});

function unseen(): object {
  const [line = ''] = readFileSync(installation.servers.addresses.auditLogs?.['west'] ?? '', 'utf8').split(
    '\n',
    1,
  );
  const { uid } = (JSON.parse(line) as { responseObject: { metadata: { uid: string } } }).responseObject
    .metadata;
  return JSON.parse(line.replaceAll(uid, 'never-seen')) as object;
}

describe('a rebuild of tables with audit records', () => {
  it('finds no difference from the live tables', async () => {
    expect(listDifferences(await rebuildTables(installation.environment, '--check'))).toEqual([]);
  }, 120_000);
});
