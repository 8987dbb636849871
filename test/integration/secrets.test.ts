import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { CronJob, Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { REDACTED } from '../../services/adapters/events/redacted.ts';
import { KEPT_FIELDS, type KeptFields } from '../../services/ingester/redaction/kept-fields.ts';
import { redactCronJob, redactJob, redactPod } from '../../services/ingester/redaction/redact.ts';
import { recordedFields } from '../../services/ingester/redaction/recorded-fields.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { fullObject, integerFields, kubernetesSchemas } from '../support/kubernetes-schemas.ts';
import { apiClient, type ApiDocument } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

/** These words are planted where objects have free text: variables, arguments, annotations, options, messages and refusals. */
const SECRETS = [
  'plant-7f3a-of-main',
  'plant-9c1e-of-init',
  'plant-2b8d-of-annotation',
  'plant-5e6f-of-api',
  'plant-1d4c-of-arguments',
  'plant-8a0b-of-template',
  'plant-3e7f-of-denial',
  'plant-6c2d-of-message',
  'plant-4d9a-of-placed',
];

/** This word is planted where nothing is redacted: a search that does not find the word is broken. */
const CANARY = 'canary-of-a-label';

/** A placed Job of the cluster local runs in the cluster west. */
const PLACEMENT = {
  clusters: [{ name: 'west', allow: [{ home: 'local', namespaces: ['default'] }] }],
};

let installation: Installation;

beforeAll(async () => {
  installation = await install({
    ownServers: true,
    api: true,
    clusters: [{ name: 'local', node: true }, { name: 'west' }],
    environment: { JOBLEDGER_LOG_LEVEL: 'debug', JOBLEDGER_PLACEMENT: JSON.stringify(PLACEMENT) },
  });
  await installation.startServices();
  const { cluster } = installation;
  await apply('well', 'true');
  await apply('failing', 'false');
  await apply('placed', 'true', 'plant-4d9a-of-placed', 'jobledger.dev/placement');
  await post(manifest('submitted', 'true', 'plant-5e6f-of-api'), 201);
  await post({ ...manifest('misspelt', 'true', 'plant-5e6f-of-api'), spce: {} }, 422);
  await suspendedWithEverything();
  await denied();
  for (const name of ['well', 'failing', 'submitted', 'placed']) await cluster.finished(name);
  await endWithMessage('failing');
  await eventually('the end of each Job is in SQL, that of the member too', 30, async () => {
    const rows = await installation.sql('select from jobledger.jobs where finished_at is not null');
    return rows.length === 5 ? true : undefined;
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
    args: ['plant-1d4c-of-arguments'],
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
    spec: {
      backoffLimit: 0,
      template: {
        metadata: {
          labels: { canary: CANARY },
          annotations: { 'kapp.k14s.io/original': 'plant-2b8d-of-annotation' },
        },
        spec,
      },
    },
  };
}

/** Creates a Job as `kubectl apply` does: an annotation repeats the manifest. */
async function apply(
  name: string,
  command: string,
  secret = 'plant-7f3a-of-main',
  managedBy = 'jobledger.dev/job-controller',
): Promise<void> {
  const job = manifest(name, command, secret);
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ value: 'plant-2b8d-of-annotation' }),
  };
  await installation.cluster.client.request({
    method: 'POST',
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: {
      ...job,
      metadata: { ...job.metadata, annotations },
      spec: { ...job.spec, managedBy },
    },
  });
}

/** Creates a Job without pods whose template has free text wherever the API permits it. */
async function suspendedWithEverything(): Promise<void> {
  const text = 'plant-8a0b-of-template';
  const exec = { exec: { command: [text] } };
  const http = {
    httpGet: { path: `/${text}`, port: 80, host: text, httpHeaders: [{ name: 'X-Token', value: text }] },
  };
  const container = {
    name: 'main',
    image: 'none',
    workingDir: `/${text}`,
    livenessProbe: exec,
    readinessProbe: http,
    startupProbe: { grpc: { port: 80, service: text } },
    lifecycle: { postStart: exec, preStop: http },
    securityContext: { seLinuxOptions: { level: text }, windowsOptions: { gmsaCredentialSpec: text } },
  };
  const volumes = [
    { name: 'csi', csi: { driver: 'd.example.com', volumeAttributes: { password: text } } },
    { name: 'flex', flexVolume: { driver: 'example.com/d', options: { password: text } } },
    { name: 'nfs', nfs: { server: text, path: `/${text}` } },
  ];
  const spec = {
    restartPolicy: 'Never',
    containers: [container],
    volumes,
    hostAliases: [{ ip: '10.0.0.1', hostnames: [text] }],
    dnsConfig: { options: [{ name: 'token', value: text }] },
    securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: text }] },
  };
  const path = '/apis/batch/v1/namespaces/default/jobs';
  const [apiVersion, kind, managedBy] = ['batch/v1', 'Job', 'jobledger.dev/job-controller'];
  const job = { metadata: { name: 'planted' }, spec: { suspend: true, managedBy, template: { spec } } };
  await installation.cluster.client.request({ method: 'POST', path, body: { apiVersion, kind, ...job } });
  await installation.cluster.jobWhere(
    'planted',
    'is suspended',
    ({ status }) => status?.conditions?.some(({ type }) => type === 'Suspended') === true,
  );
}

/** Creates a Job whose pods are refused by a policy, which quotes a variable of the pods. */
async function denied(): Promise<void> {
  const { client } = installation.cluster;
  const [apiVersion, path] = ['admissionregistration.k8s.io/v1', '/apis/admissionregistration.k8s.io/v1'];
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  ];
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'quoting' },
    spec: {
      matchConstraints: { resourceRules },
      matchConditions: [
        { name: 'denied', expression: "object.metadata.?generateName.orValue('').startsWith('denied-')" },
      ],
      validations: [
        { expression: 'false', messageExpression: "'not ' + object.spec.containers[0].env[0].value" },
      ],
    },
  };
  const binding = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'quoting' },
    spec: { policyName: 'quoting', validationActions: ['Deny'] },
  };
  await client.request({ method: 'POST', path: `${path}/validatingadmissionpolicies`, body: policy });
  await client.request({ method: 'POST', path: `${path}/validatingadmissionpolicybindings`, body: binding });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'denied-' },
    spec: { containers: [{ name: 'main', image: 'none', env: [{ name: 'A', value: 'b' }] }] },
  };
  await eventually('the policy is in force', 30, () =>
    client.request({ method: 'POST', path: '/api/v1/namespaces/default/pods?dryRun=All', body: pod }).then(
      () => undefined,
      () => true,
    ),
  );
  await apply('denied', 'true', 'plant-3e7f-of-denial');
  await eventually('the refusal is recorded', 60, async () => {
    const rows = await installation.sql(
      "select from jobledger.events where data::text like '%denied request%'",
    );
    return rows.length > 0 ? true : undefined;
  });
}

/** Gives a pod the status of a program that has written to /dev/termination-log before its exit. */
async function endWithMessage(name: string): Promise<void> {
  const { client, listPods } = installation.cluster;
  const [pod] = await listPods(name);
  const statuses = pod?.status?.containerStatuses ?? [];
  const containerStatuses = statuses.map((each) => ({
    ...each,
    state: { terminated: { ...each.state?.terminated, message: 'plant-6c2d-of-message' } },
    // The container runtime quotes a command line in this way.
    lastState: {
      terminated: {
        ...each.state?.terminated,
        reason: 'StartError',
        message: 'exec: "plant-6c2d-of-message": executable file not found in $PATH',
      },
    },
  }));
  const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}/status`;
  const contentType = 'application/merge-patch+json';
  const patched = await client.request<Pod>({
    method: 'PATCH',
    path,
    contentType,
    body: { status: { containerStatuses } },
  });
  expect(JSON.stringify(patched)).toContain('plant-6c2d-of-message');
  const { resourceVersion } = patched.metadata;
  await eventually('it is recorded', 30, async () => {
    const rows = await installation.sql(
      `select from jobledger.events where type = 'pod.observed' and resource_version = ${resourceVersion}`,
    );
    return rows.length > 0 ? true : undefined;
  });
}

/** Returns the planted words that are in a text. */
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
  const { stdout, stderr } = await promisify(execFile)('node', ['cli/jobledger.mjs', ...args], options);
  return stdout + stderr;
}

/** Returns every payload of a workflow's history in Temporal, decompressed. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    return [(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1')];
  }
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(payloadsIn);
}

/** Everything is here that stores or shows data of Jobs, except etcd and the node, which have the template in any cluster. */
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
        ? ['well', 'failing', 'submitted', 'denied', 'planted'].map((name) => path.replace('{job}', name))
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
    printed.push(
      await verb('history', 'local/default/placed'),
      await verb('describe', 'west/default/placed'),
    );
    printed.push(await verb('history', 'denied'), await verb('history', 'planted', '-o', 'json'));
    return printed.join('\n');
  },
  'an export': () => verb('admin', 'export'),
};

describe('a secret that the test plants in a Job', () => {
  it.each(Object.entries(PLACES))('is not found in %s', async (_place, read) => {
    const text = await read();
    expect(plantedIn(text)).toEqual([]);
    expect(text).toMatch(new RegExp(`${CANARY}|failing`));
  });

  it('is not in the logs of the services and servers', () => {
    const ours = /^(ingester|dispatcher|worker|projector|api|kafka|postgres|temporal)\.log/;
    const text = textOfFiles(join(installation.stateDir, 'logs'), (file) => ours.test(file));
    expect(plantedIn(text)).toEqual([]);
    expect(text).toContain('"service":"api"');
  });

  it('is in the Event about a refused pod if the message of the API server contains it (J-7.2)', async () => {
    const path = '/api/v1/namespaces/default/events?fieldSelector=reason%3DFailedCreate';
    const { items } = await installation.cluster.client.request<{ items: { message: string }[] }>({
      method: 'GET',
      path,
    });
    expect(items[0]?.message).toMatch(
      /^Error creating: pods "denied-.*denied request: not plant-3e7f-of-denial$/,
    );
  });

  it('still reaches the pod of the Job', async () => {
    const [pod] = await installation.cluster.listPods('well');
    expect(JSON.stringify(pod)).toContain('plant-7f3a-of-main');
  });

  it('still reaches the API servers of the home and of the member when the template of a placed Job contains it', async () => {
    for (const name of ['local', 'west']) {
      const job = await installation.clusters[name]?.job('placed');
      expect(JSON.stringify(job)).toContain('plant-4d9a-of-placed');
    }
  });
});

/** Returns the paths of the fields with a value, except `without`. */
function secretPaths(value: unknown, without: string | null, at = ''): string[] {
  if (at === without || value === REDACTED) return [];
  if (Array.isArray(value)) return value.flatMap((each) => secretPaths(each, without, at));
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, each]) =>
    secretPaths(each, without, at === '' ? name : `${at}.${name}`),
  );
}

/** Returns the paths that the rules name, except names of annotations. */
function pathsOfRules(rules: KeptFields, at = ''): string[] {
  if (rules === true || at.endsWith('annotations')) return [at];
  return Object.entries(rules).flatMap(([name, each]) =>
    pathsOfRules(each, at === '' ? name : `${at}.${name}`),
  );
}

/** Returns the lines of a golden file. JOBLEDGER_UPDATE_GOLDEN=1 replaces them by the present lines: review the diff. */
function reviewed(name: string, present: readonly string[]): string[] {
  const file = `test/golden/recorded-fields/${name}.txt`;
  if (process.env['JOBLEDGER_UPDATE_GOLDEN'] === '1') writeFileSync(file, `${present.join('\n')}\n`);
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

const pathIn = (line: string): string => line.replaceAll('[]', '').split(' ')[0] ?? '';

const RECORDED_KINDS = [
  ['job', 'io.k8s.api.batch.v1.Job'],
  ['cronjob', 'io.k8s.api.batch.v1.CronJob'],
  ['pod', 'io.k8s.api.core.v1.Pod'],
] as const;

const redaction = { fields: recordedFields(), maxBytes: 1_000_000 };

describe('among the fields of the Kubernetes schema,', () => {
  it('the recorded integers are exactly the reviewed integers, which test/history/largest-integers.test.ts sets', async () => {
    const schemas = await kubernetesSchemas(installation.cluster.client);
    const found = RECORDED_KINDS.flatMap(([kind, schema]) => {
      const recorded = readFileSync(`test/golden/recorded-fields/${kind}.txt`, 'utf8').split('\n');
      const template = { job: 'spec.template.', cronjob: 'spec.jobTemplate.', pod: '-' }[kind];
      return integerFields(schemas, schema)
        .filter((line) => line.startsWith(template) || recorded.includes(pathIn(line)))
        .map((line) => `${kind} ${line}`);
    });
    expect(found).toEqual(reviewed('integers', found));
  });

  it.each([
    ['pod', 'io.k8s.api.core.v1.Pod', null, (whole: unknown) => redactPod(whole as Pod, redaction)],
    [
      'job',
      'io.k8s.api.batch.v1.Job',
      'spec.template',
      (whole: unknown) => redactJob(whole as Job, redaction),
    ],
    [
      'cronjob',
      'io.k8s.api.batch.v1.CronJob',
      'spec.jobTemplate',
      (whole: unknown) => redactCronJob(whole as CronJob, redaction),
    ],
  ] as const)(
    'the recorded fields of a %s are exactly the reviewed fields',
    async (object, schema, template, redact) => {
      const whole = fullObject(await kubernetesSchemas(installation.cluster.client), schema);
      const all = secretPaths(whole, template);
      const unknown = pathsOfRules(KEPT_FIELDS[object]).filter(
        (path) => !all.some((each) => `${each}.`.startsWith(`${path}.`)),
      );
      expect(unknown).toEqual([]);
      const recorded = secretPaths(redact(whole)?.object, template);
      expect(recorded).toEqual(reviewed(object, recorded));
    },
  );
});
