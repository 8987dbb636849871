import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { serviceChildren, SERVICES, type ServiceName } from '../../cli/verbs/up/service-children.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import {
  startKafkaWithAccounts,
  type Allowed,
  type KafkaWithAccounts,
} from '../support/kafka-with-accounts.ts';
import { jobledger } from '../support/rebuild.ts';

// The services run with exactly the accounts that the pages describe, from which they are read.

function accountsIn(page: string): string {
  return /## Accounts\n(.*?)\n## /s.exec(readFileSync(`docs/engines/${page}.md`, 'utf8'))?.[1] ?? '';
}
const TOPICS = [
  'jobledger.ledger',
  'jobledger.ledger.live',
  'jobledger.ledger.features',
  'jobledger.ledger.dead-letters',
];
const DATABASE = 'jobledger_of_services';
const ROLES: Partial<Record<string, string>> = {
  projector: 'jobledger_owner',
  api: 'jobledger_api',
  worker: 'jobledger_worker',
};

/** Reads the rows of the table of operations in Kafka. */
function allowedByDocs(): Allowed[] {
  return [...accountsIn('kafka').matchAll(/^\| (\w+) +\|(.*)\|$/gm)].flatMap(([, account = '', row = '']) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const onTopics = TOPICS.map((name, at) => ({
      account,
      on: 'topic' as const,
      name,
      operations: cells[at]?.split(', ') ?? [],
    }));
    const groups = [...(cells[TOPICS.length] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({
      account,
      on: 'group' as const,
      name,
      operations: name.endsWith('*') ? ['Read', 'Delete'] : ['Read'],
    }));
    return account === 'service' ? [] : [...onTopics, ...groups];
  });
}

let installation: Installation;
let kafka: KafkaWithAccounts;

beforeAll(async () => {
  installation = await install({ separate: true, api: true, ownServers: true });
  kafka = await startKafkaWithAccounts(allowedByDocs());
  await createRoles();
  await start('ingester');
  await Promise.all(SERVICES.filter((name) => name !== 'ingester').map(start));
}, 240_000);

afterAll(async () => {
  await installation?.stop();
  await kafka?.stop();
}, 60_000);

async function createRoles(): Promise<void> {
  // The docs use another name of the database than the installation.
  const statements = (/```sql\n(.*?)```/s.exec(accountsIn('postgres'))?.[1] ?? '').replace(
    'database jobledger ',
    `database ${DATABASE} `,
  );
  const client = new Client(installation.environment['DATABASE_URL']);
  await client.connect();
  for (const statement of statements.replaceAll('…', 'secret').replaceAll(/--.*$/gm, '').split(';'))
    if (statement.trim() !== '') await client.query(statement);
  await client.end();
}

/** Returns the address of the database for a role that the docs create. */
function databaseUrl(role: string): string {
  const url = new URL(installation.environment['DATABASE_URL'] ?? '');
  Object.assign(url, { username: role, password: 'secret', pathname: `/${DATABASE}` });
  return url.toString();
}

function serviceEnvironment(service: string): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...environment } = installation.environment;
  const role = ROLES[service];
  return {
    ...environment,
    ...kafka.variables(service),
    ...(role !== undefined && { DATABASE_URL: databaseUrl(role) }),
  };
}

async function start(service: ServiceName): Promise<void> {
  const kubeconfigs = installation.servers.addresses.serviceKubeconfigs ?? {};
  for (const child of serviceChildren(serviceEnvironment(service), {
    metrics: installation.metrics,
    kubeconfigs,
  }))
    if (child.name === service) await installation.services.start(child);
}

describe('the accounts of docs/operate/install.md', () => {
  it('permit the services to run Jobs, show them over the API, and carry out requests to the API', async () => {
    const { cluster } = installation;
    await cluster.createJob('well', { completions: 2, parallelism: 2 }, {});
    await cluster.createJob('failing', { backoffLimit: 0 }, { command: ['false'] });
    for (const name of ['well', 'failing']) await cluster.finished(name);
    await cluster.createJob('held', { suspend: true }, { command: ['true'] });
    const api = apiClient(installation.api.url, installation.api.token);
    await eventually('the API shows them', 30, async () => {
      const { body } = await api.get('/v1/jobs');
      return JSON.stringify(body).includes('"held"') ? true : undefined;
    });
    expect((await api.get('/v1/jobs/well/why')).status).toBe(200);
    expect((await api.get('/readyz')).status).toBe(200);
    expect((await api.get('/v1/clusters')).body).toMatchObject({
      items: [{ name: 'local', shards: [{ shard: 1, leader: expect.any(String) }], dead_letter_count: 0 }],
    });
    expect((await api.post('/v1/jobs/held/resume?by=ann')).status).toBe(202);
    await cluster.finished('held');
    for (const word of ['cordon', 'uncordon'])
      expect(await api.post(`/v1/clusters/local/${word}?by=ann`)).toMatchObject({ status: 200 });
  });

  it('permit people to verify the ledger with an account that may not write to Kafka', async () => {
    const { PATH, HOME } = process.env;
    const verified = await jobledger(
      { PATH, HOME, ...kafka.variables('reader') },
      'admin',
      'verify',
      '--all',
    );
    expect(verified).toMatchObject({ exitCode: 0 });
    const output = await jobledger(
      { PATH, HOME, ...kafka.variables('reader') },
      'clusters',
      'cordon',
      'local',
      '--by',
      'ann',
    );
    expect(output).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /Kafka does not accept the record for jobledger\.ledger\.features: .*authoriz/,
      ),
    });
  });
});

describe('the command-line verbs that write', () => {
  const asAdministrator = async (...verb: string[]): Promise<string> => {
    const { PATH, HOME } = process.env;
    const environment = { PATH, HOME, ...kafka.variables('administrator') };
    const ran = await jobledger({ ...environment, DATABASE_URL: databaseUrl('jobledger_owner') }, ...verb);
    expect([verb, ran]).toEqual([verb, expect.objectContaining({ exitCode: 0 })]);
    return ran.stdout;
  };

  it('succeed with the account of administrators', async () => {
    await installation.cluster.createJob('asked', { suspend: true }, { command: ['true'] });
    await eventually('the Job is in the tables', 30, async () =>
      (await asAdministrator('get', '-o', 'name')).includes('/asked') ? true : undefined,
    );
    expect(await asAdministrator('resume', 'asked', '--by', 'ann')).toContain('resume requested by ann');
    await installation.cluster.finished('asked');
    for (const word of ['cordon', 'uncordon'])
      await asAdministrator('clusters', word, 'local', '--by', 'ann');
    const early = '2026-01-01T00:00:00Z';
    expect(await asAdministrator('admin', 'retention', '--ended-before', early)).toContain(
      'the horizon is 2026-01-01',
    );
    expect(await asAdministrator('admin', 'upgrade', '--finalize')).toContain('nothing to do');
    const file = join(installation.stateDir, 'well.ndjson');
    await asAdministrator('admin', 'export', 'well', '-o', file);
    expect(await asAdministrator('admin', 'import', file)).toMatch(/^0 events appended/);
  }, 120_000);
});

describe('every request beyond the rights of an account', () => {
  const allowedTopics = (account: string, operation: string): string[] =>
    allowedByDocs()
      .filter((each) => each.account === account && each.operations.includes(operation))
      .map(({ name }) => name);

  it.each([...SERVICES, 'reader', 'administrator'])('is refused by Kafka: %s', async (account) => {
    const producer = kafka.client(account).producer();
    await producer.connect();
    const written: string[] = [];
    for (const topic of TOPICS)
      await producer.send({ topic, messages: [{ key: 'probe', value: 'probe', partition: 0 }] }).then(
        () => written.push(topic),
        (error: unknown) => expect(String(error)).toMatch(/not authorized|authorized to access/i),
      );
    await producer.disconnect();
    expect(written).toEqual(allowedTopics(account, 'Write'));
    const admin = kafka.client(account).admin();
    await admin.connect();
    const refused = /authorized|authorization|Topic creation errors/i;
    await expect(admin.deleteTopics({ topics: TOPICS })).rejects.toThrow(refused);
    await expect(admin.createTopics({ topics: [{ topic: 'another' }] })).rejects.toThrow(refused);
    await admin.disconnect();
  });

  it.each(['jobledger_api', 'jobledger_worker'])(
    'is refused by Postgres if the account may only read: %s',
    async (role) => {
      const client = new Client(databaseUrl(role));
      await client.connect();
      expect((await client.query('select count(*)::int as jobs from jobledger.jobs')).rows).toEqual([
        { jobs: 4 },
      ]);
      for (const statement of [
        'delete from jobledger.jobs',
        'update jobledger.decisions set superseded = true',
        'create table jobledger.mine (id text)',
        'create schema mine',
      ])
        await expect(client.query(statement)).rejects.toThrow(/permission denied/);
      await client.end();
    },
  );

  it('is refused by Postgres, because no account is a superuser or may create roles or databases', async () => {
    const client = new Client(databaseUrl('jobledger_owner'));
    await client.connect();
    const { rows } = await client.query(
      "select rolname from pg_roles where rolname like 'jobledger\\_%' and (rolsuper or rolcreaterole or rolcreatedb)",
    );
    expect(rows).toEqual([]);
    await client.end();
  });
});
