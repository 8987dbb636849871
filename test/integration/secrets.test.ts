import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { createLog } from '../../services/adapters/log.ts';
import { apiClient, type ApiDocument } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

/** Planted as literal values of variables, and in the annotation that repeats a manifest. */
const SECRETS = ['plant-7f3a-of-main', 'plant-9c1e-of-init', 'plant-2b8d-of-annotation', 'plant-5e6f-of-api'];

/** Planted where nothing is redacted: a search that does not find it is broken. */
const CANARY = 'canary-of-a-label';

let installation: Installation;

beforeAll(async () => {
  installation = await install({ api: true, environment: { JOBLEDGER_LOG_LEVEL: 'debug' } });
  await installation.startServices();
  const { cluster } = installation;
  await apply('well', 'true');
  await apply('failing', 'false');
  await post(manifest('submitted', 'true', 'plant-5e6f-of-api'), 201);
  await post({ ...manifest('misspelt', 'true', 'plant-5e6f-of-api'), spce: {} }, 422);
  for (const name of ['well', 'failing', 'submitted']) await cluster.finished(name);
  await eventually('the end of the Job is in SQL', 30, async () => {
    const rows = await installation.sql('select from jobledger.jobs where finished_at is not null');
    return rows.length === 3 ? true : undefined;
  });
}, 240_000);

afterAll(() => installation?.stop(), 30_000);

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: object;
  spec: object;
}

async function post(job: object, status: number): Promise<void> {
  const { url, token } = installation.api;
  const answer = await apiClient(url, token).post('/v1/clusters/local/jobs', job);
  expect(answer.status).toBe(status);
  expect(plantedIn(JSON.stringify(answer.body))).toEqual([]);
}

function manifest(name: string, command: string, secret: string): Manifest {
  const container = (of: string, planted: string, run: string): object => ({
    name: of,
    image: 'none',
    command: [run],
    env: [
      { name: 'PASSWORD', value: planted },
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ],
  });
  const spec = {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    initContainers: [container('init', 'plant-9c1e-of-init', 'true')],
    containers: [container('main', secret, command)],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: { canary: CANARY } },
    spec: { backoffLimit: 0, template: { metadata: { labels: { canary: CANARY } }, spec } },
  };
}

/** As `kubectl apply` does: an annotation repeats the manifest. */
async function apply(name: string, command: string): Promise<void> {
  const job = manifest(name, command, 'plant-7f3a-of-main');
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ value: 'plant-2b8d-of-annotation' }),
  };
  await installation.cluster.client.request({
    method: 'POST',
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: {
      ...job,
      metadata: { ...job.metadata, annotations },
      spec: { ...job.spec, managedBy: 'jobledger.dev/job-controller' },
    },
  });
}

/** Which of the planted words are in a text. */
function plantedIn(text: string): string[] {
  return SECRETS.filter(
    (secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')),
  );
}

function textOfFiles(folder: string, wanted: (file: string) => boolean): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n');
}

async function verb(...args: string[]): Promise<string> {
  const options = { env: installation.environment, maxBuffer: 2 ** 28 };
  const { stdout, stderr } = await promisify(execFile)(
    'node',
    ['services/cli/jobledger.mjs', ...args],
    options,
  );
  return stdout + stderr;
}

/** Every payload of a workflow's history in Temporal, decompressed. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    return [(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1')];
  }
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(payloadsIn);
}

/** Everything that stores or shows something of Jobs. etcd and the node have the template itself, as in any cluster. */
const PLACES: Record<string, () => Promise<string>> = {
  'the records of Kafka': async () => {
    const log = createLog('test');
    log.level = 'silent';
    const connection = connectKafka(readConfig(kafkaEnvironment, installation.environment), log);
    const records: string[] = [];
    for (const topic of Object.values(connection.topics))
      await scan(connection, topic, ({ key, value }) => records.push(`${key} ${value?.toString() ?? ''}`));
    return records.join('\n');
  },
  'the rows of Postgres': async () => {
    const tables = await installation.sql<{ name: string }>(
      "select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and n.nspname = 'jobledger'",
    );
    const rows = await Promise.all(
      tables.map(({ name }) =>
        installation.sql<{ row: string }>(`select each::text as row from ${name} each`),
      ),
    );
    return rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
  },
  'the histories of Temporal': async () => {
    const client = await installation.temporal();
    try {
      const texts: string[] = [];
      for await (const { workflowId, runId, memo } of client.workflow.list())
        texts.push(
          JSON.stringify(memo),
          ...payloadsIn(await client.workflow.getHandle(workflowId, runId).fetchHistory()),
        );
      return texts.join('\n');
    } finally {
      await client.connection.close();
    }
  },
  "the file of Temporal's database": () =>
    Promise.resolve(textOfFiles(join(installation.stateDir, 'temporal'), () => true)),
  'answers of the API': async () => {
    const { url, token } = installation.api;
    const owner = apiClient(url, token);
    const document = (await owner.get('/openapi.json')).body as ApiDocument;
    const pods = await installation.sql<{ name: string }>('select name from jobledger.pods');
    const paths = Object.keys(document.paths).flatMap((path) => {
      if (path.includes('{pod}')) return pods.map(({ name }) => path.replace('{pod}', name));
      return path.includes('{job}')
        ? ['well', 'failing', 'submitted'].map((name) => path.replace('{job}', name))
        : [path];
    });
    const at = encodeURIComponent(new Date().toISOString());
    const answers = await Promise.all(
      paths.map(async (path) => (await owner.get(path.endsWith('as-of') ? `${path}?at=${at}` : path)).body),
    );
    return JSON.stringify(answers);
  },
  'what the command line prints': async () => {
    const verbs = [['history', '-o', 'json'], ['history'], ['describe'], ['replay', '-o', 'json']];
    const printed: string[] = [await verb('why', 'job/failing', '-o', 'json')];
    for (const [name = '', ...options] of verbs) printed.push(await verb(name, 'failing', ...options));
    return printed.join('\n');
  },
  'an export': () => verb('export'),
};

describe('a literal secret of a pod template', () => {
  it.each(Object.entries(PLACES))('is not found by a search of %s', async (_place, read) => {
    const text = await read();
    expect(plantedIn(text)).toEqual([]);
    expect(text).toMatch(new RegExp(`${CANARY}|failing`));
  });

  it('is in no log of our services and servers', () => {
    const ours = /^(ingester|dispatcher|worker|projector|api|kafka|postgres|temporal)\.log/;
    const text = textOfFiles(join(installation.stateDir, 'logs'), (file) => ours.test(file));
    expect(plantedIn(text)).toEqual([]);
    expect(text).toContain('"service":"api"');
  });

  it('is in the pod itself', async () => {
    const [pod] = await installation.cluster.podsOf('well');
    expect(JSON.stringify(pod)).toContain('plant-7f3a-of-main');
  });
});
