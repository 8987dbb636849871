import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startLocalServers, type LocalServers } from '../../infra/local/local-servers.ts';
import { lintChart, renderChart } from '../../infra/deploy/manifests/chart.ts';
import { RENDERED, renderedText } from '../../infra/deploy/manifests/rendered.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import {
  kafkaEnvironment,
  postgresEnvironment,
  readConfig,
  temporalEnvironment,
} from '../../services/adapters/config.ts';
import { errorMessage } from '../../services/adapters/errors.ts';
import { sinkEnvironment } from '../../services/projector/sink/config.ts';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { connectTestCluster, type TestCluster } from '../support/cluster.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { loadAllYaml, loadYaml } from '../support/yaml.ts';

// Helm renders the chart, and an API server that admits only restricted pods to the namespace checks the objects.
const CLUSTER = { cluster: { name: 'prod' } };
const WITH_ALL_RIGHTS = {
  ...CLUSTER,
  claim: 'all',
  migrations: 'projector',
  controllers: ['job', 'ttl', 'cronjob'],
  gangScheduling: true,
  accounts: { shared: true },
  api: { submit: true },
};
const EVERYTHING = {
  ...WITH_ALL_RIGHTS,
  environment: {
    POD: { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    KAFKA_TLS: true,
    KAFKA_TLS_CA: '/etc/jobledger/certificates/kafka/ca.crt',
  },
  kafka: {
    partitions: 16,
    replication: 3,
    minInsyncReplicas: 2,
    rackLabel: 'topology.kubernetes.io/zone',
  },
  concurrency: { workflowTasks: 80 },
  certificates: { postgres: 'postgres-tls', kafka: 'kafka-tls', temporal: 'temporal-tls' },
  networkPolicy: { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
  api: {
    submit: true,
    tlsSecret: 'api-tls',
    oidc: { issuer: 'https://id.example', audience: 'jobledger', clientId: 'page', scope: 'openid groups' },
    logUrl: 'https://logs.example/?pod={pod}&from={from_ms}',
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'jobs.example.com',
      tlsSecret: 'ingress-tls',
      annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
    },
  },
  services: { worker: { autoscaling: { enabled: true } }, api: { autoscaling: { enabled: true } } },
  volumes: [{ name: 'more', configMap: { name: 'more' } }],
  volumeMounts: [{ name: 'more', mountPath: '/etc/more', readOnly: true }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'spot', operator: 'DoesNotExist' }] }],
      },
    },
  },
  dashboards: { enabled: true },
  podLabels: { team: 'batch' },
  sink: {
    url: 'https://sink.example/jobs',
    tokenSecret: 'sink-token',
    more: [
      { name: 'pager', url: 'https://pager.example', secret: { file: '/etc/jobledger/sinks/pager/secret' } },
    ],
    secrets: ['pager'],
    page: 'https://jobs.example.com/ui/',
  },
  managedByPolicy: { enabled: true },
  priorityClassName: 'system-cluster-critical',
};
/** These values also give the Jobs of hooks, which need a Job controller beside Jobledger. */
const WITH_HOOKS = { ...EVERYTHING, claim: 'managed', migrations: 'hook' };
const GIVEN = {
  ...WITH_ALL_RIGHTS,
  namespaces: ['team-a', 'jobledger'],
};

interface Rendered {
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: { metadata: { labels?: Record<string, string> }; spec: PodSpec };
  };
}

interface NetworkPolicySpec {
  ingress: { ports: { port: string }[]; from?: object[] }[];
}

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } };
}

interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken: boolean;
  containers: {
    args: string[];
    image: string;
    env?: Variable[];
    envFrom?: { secretRef: { name: string } }[];
    volumeMounts: { mountPath: string }[];
  }[];
}

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-chart-'));
let helm: string;
let servers: LocalServers;
let cluster: TestCluster;
let kubectl: Kubectl;

beforeAll(async () => {
  helm = await findTool('helm', { report: () => undefined, signal: new AbortController().signal });
  servers = await startLocalServers({
    stateDir,
    postgres: false,
    kafka: false,
    temporal: false,
    clusters: [{ name: 'local', node: false, controllers: false }],
    report: () => undefined,
  });
  cluster = connectTestCluster(servers.addresses.adminKubeconfig ?? '', 'local');
  kubectl = kubectlFor({ servers, stateDir });
  await kubectl.run('apply', '-f', 'infra/deploy/kubernetes/namespace.yaml');
  await kubectl.run('create', 'serviceaccount', 'default', '-n', 'jobledger');
}, 240_000);

afterAll(async () => {
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

function renderObjects(values: object): Rendered[] {
  return loadAllYaml(renderChart(helm, { ...values })) as Rendered[];
}

function catchRefusal(render: () => unknown): string {
  try {
    render();
  } catch (error) {
    return errorMessage(error);
  }
  return 'rendered';
}

/** Returns the pods of a release: those of the Deployments and of the Jobs. */
function renderPods(values: object): { name: string; template: Rendered['spec']['template'] }[] {
  return renderObjects(values)
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({ name: metadata.name, template: spec.template }));
}

/** Returns the pods of the Deployments alone. */
function renderServicePods(values: object): ReturnType<typeof renderPods> {
  const names = new Set(SERVICES.map((service) => `jobledger-${service}`));
  return renderPods(values).filter(({ name }) => names.has(name));
}

describe('the Helm chart', () => {
  it.each([
    ['by default', CLUSTER],
    ['with everything', EVERYTHING],
    ['with hooks', WITH_HOOKS],
    ['in given namespaces', GIVEN],
  ])('passes the linter %s', (_name, values) => {
    expect(lintChart(helm, values)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it.each([
    ['without a name of the cluster', {}, 'set cluster.name'],
    ['with an unknown claim', { ...CLUSTER, claim: 'some' }, '/claim'],
    ['with an unknown value', { ...CLUSTER, replicas: 3 }, "'replicas' not allowed"],
    [
      'with more shards than an ingester looks for',
      { ...CLUSTER, services: { ingester: { shards: 17 } } },
      '/services/ingester/shards',
    ],
    [
      'with an autoscaler of a service whose replicas wait for one another',
      { ...CLUSTER, services: { ingester: { autoscaling: { enabled: true } } } },
      '/services/ingester',
    ],
    [
      'with an autoscaler that may have fewer replicas than it must',
      { ...CLUSTER, services: { api: { autoscaling: { enabled: true, minReplicas: 5 } } } },
      'services.api.autoscaling.maxReplicas is 4, less than minReplicas, which is 5',
    ],
    ['with an unknown controller', { ...CLUSTER, controllers: ['pods'] }, '/controllers/0'],
    ['with a name that no namespace has', { ...CLUSTER, namespaces: ['Team'] }, '/namespaces/0'],
    [
      'with people in given namespaces',
      { ...GIVEN, api: { people: true } },
      'api.people needs rights in the whole cluster (TokenReview, SubjectAccessReview)',
    ],
    [
      'with an identity provider in given namespaces',
      { ...GIVEN, api: { oidc: { issuer: 'https://id.example', audience: 'jobledger' } } },
      'api.oidc.issuer identifies people, for whom the API needs rights in the whole cluster',
    ],
    [
      'with a policy in given namespaces',
      { ...GIVEN, managedByPolicy: { enabled: true } },
      'managedByPolicy installs a MutatingAdmissionPolicy, an object of the whole cluster',
    ],
    [
      'with an identity provider and no audience',
      { ...CLUSTER, api: { oidc: { issuer: 'https://id.example' } } },
      'api.oidc.issuer needs api.oidc.audience',
    ],
    [
      'with a client of no identity provider',
      { ...CLUSTER, api: { oidc: { clientId: 'page' } } },
      'need api.oidc.issuer',
    ],
    [
      'in the place of the built-in controller, with a Job that migrates',
      { ...CLUSTER, claim: 'all' },
      'set migrations=projector',
    ],
    ['with links to logs that are none', { ...CLUSTER, api: { logUrl: 'logs' } }, '/api/logUrl'],
  ])('cannot be rendered %s', (_name, values, why) => {
    expect(catchRefusal(() => renderChart(helm, values))).toContain(why);
  });

  it('gives only the API the settings that the page needs for sign-in and for logs', () => {
    const variables = renderServicePods(EVERYTHING).map(({ name, template }) => {
      const [container] = template.spec.containers as { env: { name: string; value?: string }[] }[];
      const ofPage = (container?.env ?? []).filter((each) => /OIDC|LOG_URL/.test(each.name));
      return [name, Object.fromEntries(ofPage.map((each) => [each.name, each.value]))] as const;
    });
    const { 'jobledger-api': api, ...others } = Object.fromEntries(variables);
    expect(api).toEqual({
      JOBLEDGER_API_OIDC_ISSUER: 'https://id.example',
      JOBLEDGER_API_OIDC_AUDIENCE: 'jobledger',
      JOBLEDGER_API_OIDC_CLIENT_ID: 'page',
      JOBLEDGER_API_OIDC_SCOPE: 'openid groups',
      JOBLEDGER_LOG_URL: 'https://logs.example/?pod={pod}&from={from_ms}',
    });
    expect(Object.values(others)).toEqual(Object.values(others).map(() => ({})));
    expect(Object.keys(others)).toHaveLength(SERVICES.length - 1);
  });

  it.each([
    ['1.35', 'admissionregistration.k8s.io/v1beta1'],
    ['1.36', 'admissionregistration.k8s.io/v1'],
  ] as const)(
    'contains the policy that sets managedBy, for Kubernetes %s in the API version %s',
    (kubernetes, api) => {
      const values = { deploy: false, managedByPolicy: { enabled: true } };
      const rendered = loadAllYaml(renderChart(helm, values, ['managed-by-policy.yaml'], kubernetes));
      expect((rendered as { apiVersion: string }[]).map(({ apiVersion }) => apiVersion)).toEqual([api, api]);
    },
  );

  it.each(RENDERED)('produces exactly the committed file $file', (each) => {
    expect(readFileSync(each.file, 'utf8')).toBe(renderedText(helm, each));
  });

  it.each([
    ['by default', CLUSTER, 29],
    ['with everything', EVERYTHING, 37],
    ['with hooks', WITH_HOOKS, 38],
  ])('is admitted by the API server %s, without a warning', async (_name, values, atLeast) => {
    const text = renderChart(helm, values);
    const applied = await kubectl.pipe(text, 'apply', '--dry-run=server', '--warnings-as-errors', '-f', '-');
    const lines = applied.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(atLeast);
    expect(lines.filter((line) => !line.includes('(server dry run)'))).toEqual([]);
  });

  it('divides a cluster among ingesters, each with a Deployment whose selector matches only its own pods', () => {
    const all = renderObjects({ ...CLUSTER, services: { ingester: { shards: 2 } } });
    const ingesters = all.filter(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.includes('ingester'),
    );
    const shown = ingesters.map(({ metadata, spec }) => ({
      name: metadata.name,
      selected: spec.selector.matchLabels['jobledger.dev/shard'],
      labelled: spec.template.metadata.labels?.['jobledger.dev/shard'],
      shard: spec.template.spec.containers[0]?.env?.find(({ name }) => name === 'JOBLEDGER_INGESTER_SHARD')
        ?.value,
      account: spec.template.spec.serviceAccountName,
    }));
    const account = 'jobledger-ingester';
    expect(shown).toEqual([
      { name: 'jobledger-ingester-1', selected: '1', labelled: '1', shard: '1/2', account },
      { name: 'jobledger-ingester-2', selected: '2', labelled: '2', shard: '2/2', account },
    ]);
  });

  it('has only pods that the API server admits to a namespace with the restricted security standard', async () => {
    const pods = renderPods(WITH_HOOKS);
    expect(pods.map(({ name }) => name).toSorted()).toEqual(
      [...SERVICES, 'check', 'migrate'].map((name) => `jobledger-${name}`).toSorted(),
    );
    for (const { name, template } of pods) {
      const pod = await cluster.client.request<{ spec: { containers: unknown[] } }>({
        method: 'POST',
        path: '/api/v1/namespaces/jobledger/pods?dryRun=All',
        body: { apiVersion: 'v1', kind: 'Pod', ...template, metadata: { ...template.metadata, name } },
      });
      for (const container of pod.spec.containers)
        expect(container).toMatchObject({
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
        });
    }
  });
});

describe('the pod of each service in the chart', () => {
  const secretNames = (spec: PodSpec | undefined): string[] =>
    spec?.containers[0]?.envFrom?.map(({ secretRef }) => secretRef.name.replace('jobledger-', '')) ?? [];

  it.each([
    ['ingester', true, ['kafka']],
    ['dispatcher', false, ['kafka', 'temporal']],
    ['worker', true, ['kafka', 'temporal', 'postgres']],
    ['projector', false, ['kafka', 'postgres']],
    ['api', true, ['kafka', 'temporal', 'postgres']],
  ])('has its own account, and only the Secrets that the service uses: %s', (service, hasToken, secrets) => {
    const spec = renderPods(EVERYTHING).find(({ name }) => name === `jobledger-${service}`)?.template.spec;
    expect(spec?.serviceAccountName).toBe(`jobledger-${service}`);
    expect(spec?.automountServiceAccountToken).toBe(hasToken);
    expect(secretNames(spec)).toEqual(secrets);
    const mounted = spec?.containers[0]?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    expect(mounted.filter((path) => path.includes('certificates'))).toEqual(
      [...(service === 'api' ? ['api'] : []), ...secrets].map((of) => `/etc/jobledger/certificates/${of}`),
    );
  });

  it('uses the database account that its values name, and the migration uses the account of the projector', () => {
    const environment = { DATABASE_WITHOUT_TLS: true };
    const migrates = renderPods({ ...CLUSTER, services: { projector: { environment } } }).find(
      ({ name }) => name === 'jobledger-migrate',
    );
    expect(migrates?.template.spec.containers[0]?.env).toEqual([
      { name: 'DATABASE_WITHOUT_TLS', value: 'true' },
    ]);
    const services = {
      api: { secrets: { postgres: 'reads' } },
      projector: { secrets: { postgres: 'owns' } },
    };
    const secretsIn = (name: string): string[] =>
      secretNames(
        renderPods({ ...CLUSTER, services }).find((each) => each.name === `jobledger-${name}`)?.template.spec,
      );
    expect(secretsIn('api')).toEqual(['kafka', 'temporal', 'reads']);
    expect(secretsIn('projector')).toEqual(['kafka', 'owns']);
    expect(secretsIn('worker')).toEqual(['kafka', 'temporal', 'postgres']);
    expect(secretsIn('migrate')).toEqual(['owns']);
  });

  it('runs the image with the given digest, or else with the given tag', () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    const images = (image: object): unknown[] =>
      renderPods({ ...CLUSTER, image }).map(({ template }) => template.spec.containers[0]?.image);
    expect(new Set(images({ tag: '1.2.3', digest }))).toEqual(new Set([`jobledger@${digest}`]));
    expect(new Set(images({ tag: '1.2.3' }))).toEqual(new Set(['jobledger:1.2.3']));
    expect(catchRefusal(() => images({ digest: 'latest' }))).toContain('/image/digest');
  });

  it('opens its metrics only to the pods of its namespace, or to named pods', () => {
    const networkPeers = (values: object): unknown[] =>
      renderObjects(values)
        .filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ spec }) => (spec as unknown as NetworkPolicySpec).ingress)
        .map((rules) => rules.filter(({ ports }) => ports.some(({ port }) => port === 'metrics')))
        .map((rules) => rules.map(({ from }) => from));
    expect(networkPeers(CLUSTER)).toEqual(SERVICES.map(() => [[{ podSelector: {} }]]));
    const metricsFrom = [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }];
    expect(networkPeers({ ...CLUSTER, networkPolicy: { metricsFrom } })).toEqual(
      SERVICES.map(() => [metricsFrom]),
    );
    expect(networkPeers({ ...CLUSTER, networkPolicy: { metricsFrom: [] } })).toEqual(SERVICES.map(() => []));
  });

  it('serves HTTPS if it is the pod of the API and the values name a certificate', () => {
    const values = { ...CLUSTER, api: { tlsSecret: 'api-tls' } };
    const text = renderChart(helm, values);
    expect(text.match(/scheme: HTTPS/g)).toHaveLength(2);
    expect(text).toMatch(/path: \/readyz, port: http, scheme: HTTPS/);
    expect(text).toContain('{ name: https, port: 443, targetPort: http }');
    const mounted = renderServicePods(values).filter(({ template: { spec } }) =>
      spec.containers[0]?.volumeMounts.some(
        ({ mountPath }) => mountPath === '/etc/jobledger/certificates/api',
      ),
    );
    expect(mounted.map(({ name }) => name)).toEqual(['jobledger-api']);
    expect(renderChart(helm, CLUSTER)).not.toContain('HTTPS');
  });

  it('has the settings and files of the sink only if it is the pod of the projector', () => {
    const withSink = renderPods(EVERYTHING).filter(({ template: { spec } }) => {
      const [container] = spec.containers;
      const variables = container?.env?.filter(({ name }) => name.startsWith('JOBLEDGER_SINK_')) ?? [];
      const isMounted = container?.volumeMounts.some(({ mountPath }) => mountPath === '/etc/jobledger/sink');
      return variables.length === 2 && isMounted === true;
    });
    expect(withSink.map(({ name }) => name)).toEqual(['jobledger-projector']);
  });

  it('has the settings of additional sinks, with the files of their Secrets, only if it is the pod of the projector', () => {
    const withSinks = renderPods(EVERYTHING).flatMap(({ name, template: { spec } }) =>
      (spec.containers[0]?.env ?? [])
        .filter((variable) => variable.name === 'JOBLEDGER_SINKS')
        .map(({ value = '' }) => {
          const mounted = spec.containers[0]?.volumeMounts.map(({ mountPath }) => mountPath);
          return { name, mounted, config: readConfig(sinkEnvironment, { JOBLEDGER_SINKS: value }) };
        }),
    );
    expect(withSinks.map(({ name }) => name)).toEqual(['jobledger-projector']);
    const [{ mounted, config } = {}] = withSinks;
    expect(mounted).toContain('/etc/jobledger/sinks/pager');
    expect(config?.JOBLEDGER_SINKS).toMatchObject({
      page: EVERYTHING.sink.page,
      sinks: EVERYTHING.sink.more,
    });
    expect(renderChart(helm, CLUSTER)).not.toContain('JOBLEDGER_SINKS');
  });

  it('reads Kafka in its own zone, and creates topics with the given numbers of partitions and replicas', () => {
    const readers = renderServicePods(EVERYTHING).filter(({ template: { spec } }) =>
      spec.containers[0]?.envFrom?.some(({ secretRef }) => secretRef.name === 'jobledger-kafka'),
    );
    expect(readers).toHaveLength(5);
    for (const { template } of readers) {
      const variables = template.spec.containers[0]?.env ?? [];
      expect(variables).toContainEqual({ name: 'JOBLEDGER_LEDGER_PARTITIONS', value: '16' });
      expect(variables).toContainEqual({ name: 'JOBLEDGER_LEDGER_REPLICATION', value: '3' });
      expect(variables).toContainEqual({ name: 'JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS', value: '2' });
      expect(variables).toContainEqual({
        name: 'JOBLEDGER_KAFKA_RACK',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
      });
    }
  });

  it('has the given limit of Jobs about which a worker decides at once only if it is the pod of the worker or dispatcher', () => {
    const tasks = renderPods(EVERYTHING).flatMap(({ name, template: { spec } }) =>
      (spec.containers[0]?.env ?? [])
        .filter((variable) => variable.name === 'JOBLEDGER_WORKFLOW_TASKS')
        .map(({ value }) => [name, value]),
    );
    expect(tasks).toEqual([
      ['jobledger-dispatcher', '80'],
      ['jobledger-worker', '80'],
    ]);
  });

  it('has the limit and the resources of the values file for 100 Jobs a second if it is the pod of the worker', () => {
    const values = loadYaml<object>(readFileSync('infra/deploy/chart/values-100-jobs-a-second.yaml', 'utf8'));
    const worker = renderPods({ ...CLUSTER, ...values }).find(({ name }) => name === 'jobledger-worker');
    expect(worker?.template.spec.containers[0]).toMatchObject({
      env: expect.arrayContaining([{ name: 'JOBLEDGER_WORKFLOW_TASKS', value: '80' }]),
      resources: { requests: { cpu: '600m', memory: '1Gi' } },
    });
  });

  it.each([
    ['hook', 'false', true],
    ['projector', 'true', false],
    ['manual', 'false', false],
  ])(
    'migrates the schema only if it is the pod of the projector and the value is projector, and a Job migrates for hook: %s',
    (migrations, inProjector, asJob) => {
      const pods = renderPods({ ...CLUSTER, migrations });
      const env = pods.find(({ name }) => name.endsWith('projector'))?.template.spec.containers[0]?.env;
      expect(env).toContainEqual({ name: 'JOBLEDGER_MIGRATE', value: inProjector });
      expect(pods.some(({ name }) => name.endsWith('migrate'))).toBe(asJob);
    },
  );

  it('is the only kind of pod where Jobledger replaces the built-in controller, because no controller would run a Job of the chart', () => {
    const names = renderPods({ ...CLUSTER, claim: 'all', migrations: 'projector' }).map(({ name }) => name);
    expect(names.toSorted()).toEqual(SERVICES.map((service) => `jobledger-${service}`).toSorted());
  });

  it('is accompanied by the Jobs for check and migration when Jobledger controls only other clusters than its own', () => {
    const elsewhere = { cluster: { contexts: ['east'] }, secrets: { kubeconfig: 'clusters' }, claim: 'all' };
    const names = renderPods(elsewhere).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['jobledger-check', 'jobledger-migrate']));
  });
});

describe('the labels in the chart', () => {
  it('are the recommended labels on every object', () => {
    const objects = renderObjects({
      ...EVERYTHING,
      podMonitor: { enabled: true },
      prometheusRule: { enabled: true },
    });
    expect(objects.length).toBeGreaterThan(40);
    for (const { kind, metadata } of objects)
      expect([kind, metadata.name, metadata.labels]).toEqual([
        kind,
        metadata.name,
        expect.objectContaining({
          'app.kubernetes.io/name': 'jobledger',
          'app.kubernetes.io/instance': 'jobledger',
          'app.kubernetes.io/part-of': 'jobledger',
          'app.kubernetes.io/version': expect.stringMatching(/^\d+\.\d+\.\d+/),
          'app.kubernetes.io/managed-by': 'Helm',
          'helm.sh/chart': expect.stringMatching(/^jobledger-\d+\.\d+\.\d+/),
        }),
      ]);
  });

  // The API server refuses a change of a selector, and a change of the labels of pods restarts them.
  it('are, on the pods of a Deployment, exactly the three labels of its selector, which an upgrade may not change', () => {
    const deployments = renderObjects(CLUSTER).filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec.selector.matchLabels)).toEqual(
      SERVICES.toSorted().map((service) => ({
        'app.kubernetes.io/name': 'jobledger',
        'app.kubernetes.io/instance': 'jobledger',
        'app.kubernetes.io/component': service,
      })),
    );
    for (const { spec } of deployments)
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  });

  it('do not name Helm in the manifests for kubectl', () => {
    for (const each of RENDERED) expect(renderedText(helm, each)).not.toMatch(/managed-by|helm\.sh/);
  });
});

describe('the chart values for a trial installation', () => {
  const QUICKSTART = loadYaml<object>(readFileSync('infra/deploy/chart/values-quickstart.yaml', 'utf8'));
  /** The operators write these values to their Secrets. */
  const SECRETS: Record<string, string> = {
    'jobledger-postgres-app/uri': 'postgresql://jobledger:pw@jobledger-postgres-rw.jobledger:5432/jobledger',
    'jobledger-kafka-user/password': 'pw',
  };

  it('are admitted by the API server, and give each service only variables that it reads', async () => {
    const applied = await kubectl.pipe(
      renderChart(helm, { ...QUICKSTART }),
      'apply',
      '--dry-run=server',
      '--warnings-as-errors',
      '-f',
      '-',
    );
    expect(applied).toContain('job.batch/jobledger-check');
    const pods = renderPods(QUICKSTART);
    expect(pods).toHaveLength(SERVICES.length + 2);
    for (const { template } of pods)
      for (const { env = [], envFrom } of template.spec.containers) {
        expect(envFrom).toBeUndefined();
        const variables = resolved(env);
        expect(readConfig(kafkaEnvironment, variables).KAFKA_SASL_PASSWORD).toBe('pw');
        expect(readConfig(temporalEnvironment, variables).TEMPORAL_ADDRESS).toBe('temporal-frontend:7233');
        expect(readConfig(postgresEnvironment, variables).DATABASE_URL).toBe(
          `${SECRETS['jobledger-postgres-app/uri']}?sslmode=verify-full&sslrootcert=/etc/jobledger/postgres-authority/ca.crt`,
        );
      }
  });

  it('let the check start before the operators have created their Secrets, and let the worker start only afterwards', () => {
    const optionalIn = (name: string): unknown[] =>
      renderPods(QUICKSTART)
        .filter((pod) => pod.name === `jobledger-${name}`)
        .flatMap(({ template }) => template.spec.containers.flatMap(({ env = [] }) => env))
        .flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [valueFrom.secretKeyRef?.optional]));
    expect(new Set(optionalIn('check'))).toEqual(new Set([true]));
    expect(new Set(optionalIn('worker'))).toEqual(new Set([undefined]));
  });

  /** Resolves variables as a kubelet does for a process. */
  function resolved(env: readonly Variable[]): Record<string, string> {
    const found: Record<string, string> = {};
    for (const { name, value, valueFrom } of env) {
      const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
      const text = value ?? SECRETS[`${secret}/${key}`] ?? '';
      found[name] = text.replaceAll(/\$\((\w+)\)/g, (whole, other: string) => found[other] ?? whole);
    }
    return found;
  }
});

describe('the external address of the API in the chart', () => {
  const routeBackends = (api: object, kind: string): unknown[] =>
    renderObjects({ ...CLUSTER, api }).filter((each) => each.kind === kind);

  it('is an Ingress for the port that the API serves', () => {
    const ingress = { enabled: true, className: 'nginx', host: 'jobs.example.com', tlsSecret: 'tls' };
    const backend = (number: number): object => ({
      service: { name: 'jobledger-api', port: { number } },
    });
    for (const [api, number] of [
      [{ ingress }, 80],
      [{ ingress, tlsSecret: 'own' }, 443],
    ] as const)
      expect(routeBackends(api, 'Ingress')).toMatchObject([
        {
          spec: {
            ingressClassName: 'nginx',
            tls: [{ secretName: 'tls', hosts: ['jobs.example.com'] }],
            rules: [
              {
                host: 'jobs.example.com',
                http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend(number) }] },
              },
            ],
          },
        },
      ]);
    expect(routeBackends({ ingress: { enabled: true } }, 'Ingress')).toMatchObject([
      { spec: { rules: [{ http: { paths: [{ backend: backend(80) }] } }] } },
    ]);
  });

  it('is an HTTPRoute of the named Gateways', () => {
    const httpRoute = { enabled: true, parentRefs: [{ name: 'edge' }], hostnames: ['jobs.example.com'] };
    expect(routeBackends({ httpRoute }, 'HTTPRoute')).toMatchObject([
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        spec: {
          parentRefs: [{ name: 'edge' }],
          hostnames: ['jobs.example.com'],
          rules: [{ backendRefs: [{ name: 'jobledger-api', port: 80 }] }],
        },
      },
    ]);
    expect(catchRefusal(() => routeBackends({ httpRoute: { enabled: true } }, 'HTTPRoute'))).toContain(
      'api.httpRoute.parentRefs: name the Gateway',
    );
  });
});

describe('additional values of the chart', () => {
  it('annotate all ServiceAccounts, or the ServiceAccount of one service', () => {
    const accounts = renderObjects({
      ...CLUSTER,
      accounts: { annotations: { team: 'batch', role: 'all' } },
      services: { worker: { accountAnnotations: { role: 'worker' } } },
    }).filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts).toHaveLength(SERVICES.length);
    for (const { metadata } of accounts)
      expect(metadata.annotations).toEqual({
        team: 'batch',
        role: metadata.name === 'jobledger-worker' ? 'worker' : 'all',
      });
  });

  it('give every pod an affinity, volumes and variables, where a variable of one service replaces the common variable', () => {
    const own = { valueFrom: { secretKeyRef: { name: 'own', key: 'token' } } };
    const pods = renderPods({ ...WITH_HOOKS, services: { worker: { environment: { POD: own } } } });
    expect(pods).toHaveLength(SERVICES.length + 2);
    for (const { name, template } of pods) {
      const spec = template.spec as PodSpec & { affinity: unknown; volumes: unknown[] };
      expect(spec.affinity).toEqual(EVERYTHING.affinity);
      expect(spec.volumes).toContainEqual({ name: 'more', configMap: { name: 'more' } });
      for (const { args, env, volumeMounts } of spec.containers) {
        expect([name, volumeMounts]).toEqual([
          name,
          expect.arrayContaining([{ name: 'more', mountPath: '/etc/more', readOnly: true }]),
        ]);
        const isWorker = args.includes('worker');
        const [variable] = env?.filter((each) => each.name === 'POD') ?? [];
        expect(variable).toMatchObject(isWorker ? own : EVERYTHING.environment.POD);
      }
    }
    expect(
      catchRefusal(() => renderObjects({ ...CLUSTER, environment: { POD: { fieldRef: 'metadata.name' } } })),
    ).toContain('/environment/POD');
  });

  it('may contain a large number, which the manifests write without an exponent', () => {
    const [pod] = renderPods({ ...CLUSTER, environment: { LONG: 34_214_400_000, PART: 0.25 } });
    const env = pod?.template.spec.containers[0]?.env;
    expect(env).toEqual(
      expect.arrayContaining([
        { name: 'LONG', value: '34214400000' },
        { name: 'PART', value: '0.25' },
      ]),
    );
  });

  it('replace the topology spread constraints of the replicas of a service', () => {
    const workerSpread = (values: object): unknown[] =>
      renderPods({ ...CLUSTER, ...values })
        .filter(({ name }) => name === 'jobledger-worker')
        .map(
          ({ template }) =>
            (template.spec as unknown as Record<string, unknown>)['topologySpreadConstraints'],
        );
    const labelSelector = {
      matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': 'worker' }),
    };
    expect(workerSpread({})).toMatchObject([
      [
        { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
        { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
      ],
    ]);
    const rack = { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
    expect(workerSpread({ topologySpread: [rack] })).toEqual([[{ ...rack, labelSelector }]]);
    expect(workerSpread({ topologySpread: [] })).toEqual([undefined]);
  });
});

describe('autoscaling in the chart', () => {
  const withWorker = (autoscaling: object): object => ({
    ...CLUSTER,
    services: { worker: { replicas: 3, autoscaling: { enabled: true, ...autoscaling } } },
  });
  const renderDeployments = (values: object): Map<string, unknown> =>
    new Map(
      renderObjects(values)
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata, spec }) => [metadata.name, (spec as { replicas?: unknown }).replicas]),
    );
  const objectNames = (values: object, wanted: string): string[] =>
    renderObjects(values)
      .filter(({ kind }) => kind === wanted)
      .map(({ metadata }) => metadata.name);

  it('is off by default', () => {
    expect(objectNames(CLUSTER, 'HorizontalPodAutoscaler')).toEqual([]);
    expect([...renderDeployments(CLUSTER).values()]).toEqual(SERVICES.map(() => 2));
  });

  it('scales a service by its CPU, and only the autoscaler sets the number of replicas', () => {
    const values = withWorker({ minReplicas: 2, maxReplicas: 8, targetCPUUtilizationPercentage: 60 });
    const scaler = renderObjects(values).find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaler?.metadata).toMatchObject({ name: 'jobledger-worker', namespace: 'jobledger' });
    expect(scaler?.spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'jobledger-worker' },
      minReplicas: 2,
      maxReplicas: 8,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      ],
    });
    const worker = renderObjects(values).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'jobledger-worker',
    );
    expect(worker?.spec).not.toHaveProperty('replicas');
    const { 'jobledger-worker': none, ...others } = Object.fromEntries(renderDeployments(values));
    expect(none).toBeUndefined();
    expect(Object.values(others)).toEqual([2, 2, 2, 2]);
  });

  it('has a PodDisruptionBudget for the service only when the minimum is more than one replica', () => {
    const budgets = (values: object): boolean =>
      objectNames(values, 'PodDisruptionBudget').includes('jobledger-worker');
    expect(budgets(withWorker({}))).toBe(true);
    expect(budgets(withWorker({ minReplicas: 1 }))).toBe(false);
  });
});

describe('the alerts and dashboards in the chart', () => {
  it('have exactly the contents of the files in infra/deploy/prometheus and infra/deploy/grafana', () => {
    const objects = renderObjects({
      ...CLUSTER,
      prometheusRule: { enabled: true, labels: { release: 'prom' } },
      dashboards: { enabled: true, annotations: { grafana_folder: 'Batch' } },
    });
    expect(objects.filter(({ kind }) => kind === 'PrometheusRule')).toMatchObject([
      {
        apiVersion: 'monitoring.coreos.com/v1',
        metadata: { labels: { release: 'prom' } },
        spec: loadYaml<object>(readFileSync('infra/deploy/prometheus/alerts.yml', 'utf8')),
      },
    ]);
    const dashboards = objects.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const files = readdirSync('infra/deploy/grafana/dashboards');
    expect(files.length).toBeGreaterThan(2);
    const texts = files.map((file) => [
      file,
      readFileSync(`infra/deploy/grafana/dashboards/${file}`, 'utf8'),
    ]);
    expect(
      Object.assign({}, ...dashboards.map((each) => (each as unknown as { data: object }).data)),
    ).toEqual(Object.fromEntries(texts));
    for (const { metadata } of dashboards) expect(metadata.annotations).toEqual({ grafana_folder: 'Batch' });
  });
});

describe('the chart for several clusters', () => {
  const SEVERAL = {
    cluster: { contexts: ['east', 'west'] },
    secrets: { kubeconfig: 'clusters' },
    services: { ingester: { secrets: { kubeconfig: 'clusters-to-read' } } },
  };

  it('gives services that call clusters the kubeconfig of a Secret and its contexts, and no token of their own cluster', () => {
    const shown = renderServicePods(SEVERAL).map(({ name, template: { spec } }) => {
      const { env = [] } = spec.containers[0] ?? {};
      const variables = Object.fromEntries(env.map((each) => [each.name, each.value]));
      const { volumes } = spec as unknown as { volumes: { name: string; secret?: { secretName: string } }[] };
      const { JOBLEDGER_KUBECONFIG, JOBLEDGER_CONTEXTS, JOBLEDGER_CLUSTER_NAME } = variables;
      return {
        name: name.replace('jobledger-', ''),
        token: spec.automountServiceAccountToken,
        secret: volumes.find((volume) => volume.name === 'cluster')?.secret?.secretName,
        variables: [JOBLEDGER_KUBECONFIG, JOBLEDGER_CONTEXTS, JOBLEDGER_CLUSTER_NAME],
      };
    });
    const file = '/etc/jobledger/cluster/kubeconfig';
    const calls = { token: false, variables: [file, 'east,west', undefined] };
    const none = { token: false, secret: undefined, variables: [undefined, undefined, undefined] };
    expect(shown).toEqual([
      { name: 'api', secret: 'clusters', ...calls },
      { name: 'dispatcher', ...none },
      { name: 'ingester', secret: 'clusters-to-read', ...calls },
      { name: 'projector', ...none },
      { name: 'worker', secret: 'clusters', ...calls },
    ]);
  });

  it('gives no rights in the cluster where it is installed, and no kubeconfig for that cluster', () => {
    const kinds = new Set(renderObjects(SEVERAL).map(({ kind }) => kind));
    expect([...kinds].filter((kind) => /Role|ConfigMap/.test(kind))).toEqual([]);
    expect(kinds).toContain('Deployment');
  });

  it('is admitted by the API server', async () => {
    const applied = await kubectl.pipe(
      renderChart(helm, SEVERAL),
      'apply',
      '--dry-run=server',
      '--warnings-as-errors',
      '-f',
      '-',
    );
    expect(applied).toContain('deployment.apps/jobledger-worker');
  });

  it.each([
    ['a name too', { ...SEVERAL, cluster: { name: 'prod', contexts: ['east'] } }, 'leave it empty'],
    ['no Secret', { cluster: { contexts: ['east'] } }, 'set secrets.kubeconfig'],
    ['a Secret alone', { ...CLUSTER, secrets: { kubeconfig: 'clusters' } }, 'name its contexts'],
    ['a policy', { ...SEVERAL, managedByPolicy: { enabled: true } }, 'install it in each cluster'],
    ['a list in a context', { ...SEVERAL, cluster: { contexts: ['east,west'] } }, '/cluster/contexts/0'],
  ])('cannot be rendered when its values have %s', (_name, values, why) => {
    expect(catchRefusal(() => renderObjects(values))).toContain(why);
  });
});

describe('the chart for given namespaces', () => {
  it('has only namespaced objects, with a Role and its RoleBinding for each namespace and service account', async () => {
    const objects = renderObjects(GIVEN);
    expect(objects.filter(({ metadata }) => metadata.namespace === undefined)).toEqual([]);
    const named = (wanted: string): string[] =>
      objects
        .filter(({ kind }) => kind === wanted)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
        .toSorted();
    const each = ['jobledger', 'team-a'].flatMap((namespace) =>
      ['api', 'ingester', 'worker'].map((service) => `${namespace}/jobledger-${service}`),
    );
    expect(named('Role')).toEqual(each);
    expect(named('RoleBinding')).toEqual(each);
    await kubectl.run('create', 'namespace', 'team-a');
    const applied = await kubectl.pipe(
      renderChart(helm, GIVEN),
      'apply',
      '--dry-run=server',
      '--warnings-as-errors',
      '-f',
      '-',
    );
    expect(applied).toContain('rolebinding.rbac.authorization.k8s.io/jobledger-worker');
  });

  it('gives in its own namespace, unless it is a given namespace, only rights to the Leases and to read the Namespace', () => {
    const own = renderObjects({ ...CLUSTER, namespaces: ['team-a'] }).filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'jobledger',
    );
    expect(own).toMatchObject([
      {
        metadata: { name: 'jobledger-ingester' },
        rules: [
          { resources: ['leases'], verbs: ['get', 'create', 'update'] },
          { resources: ['namespaces'], resourceNames: ['jobledger'], verbs: ['get'] },
        ],
      },
    ]);
  });

  it('renders the objects for the whole cluster when the list is null or empty', () => {
    expect(renderObjects({ ...CLUSTER, namespaces: null })).toEqual(
      renderObjects({ ...CLUSTER, namespaces: [] }),
    );
  });

  it('passes the given namespaces only to the services that call the API server', () => {
    const having = renderPods(GIVEN).filter(({ template: { spec } }) =>
      spec.containers[0]?.env?.some(
        ({ name, value }) => name === 'JOBLEDGER_NAMESPACES' && value === 'team-a,jobledger',
      ),
    );
    expect(having.map(({ name }) => name).toSorted()).toEqual(
      ['api', 'ingester', 'worker'].map((service) => `jobledger-${service}`),
    );
  });
});

describe('the chart with options that are switched off or on', () => {
  it('gives service accounts only the rights that the enabled options need', () => {
    const kinds = (values: object): string[] =>
      renderObjects(values)
        .filter(({ kind }) => kind.endsWith('Role'))
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(kinds(CLUSTER)).toEqual([
      'ClusterRole jobledger-ingester',
      'ClusterRole jobledger-worker',
      'Role jobledger-ingester',
    ]);
    expect(kinds(EVERYTHING)).toEqual([
      'ClusterRole jobledger-ingester',
      'ClusterRole jobledger-worker',
      'ClusterRole jobledger-api',
      'Role jobledger-ingester',
      'Role jobledger-worker',
    ]);
    expect(renderChart(helm, CLUSTER)).toContain('cronjobs');
    const text = renderChart(helm, { ...CLUSTER, recordCronJobs: false });
    expect(text).not.toMatch(
      /cronjobs|nodes|workloads|GANG_SCHEDULING|JOBLEDGER_NAMESPACES|PodMonitor|Egress|AdmissionPolicy/,
    );
  });

  it('gives rights to Workloads and PodGroups, and the setting to every service, when gang scheduling is on (J-8.13)', () => {
    const text = renderChart(helm, { ...CLUSTER, gangScheduling: true });
    expect(
      text.match(/resources: \[(workloads|podgroups)\]\n +verbs: \[get, list, create, patch\]/g),
    ).toHaveLength(2);
    const pods = renderServicePods({ ...CLUSTER, gangScheduling: true });
    expect(pods).toHaveLength(SERVICES.length);
    for (const { template } of pods)
      expect(template.spec.containers[0]?.env).toContainEqual({
        name: 'JOBLEDGER_GANG_SCHEDULING',
        value: 'true',
      });
  });

  it('has only service accounts and their rights when the deployment of services is off', () => {
    const kinds = new Set(renderObjects({ deploy: false }).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'ServiceAccount',
    ]);
  });

  it('has a PodMonitor, when it is on, with the given labels and the job label that the alerts use', () => {
    const text = renderChart(helm, {
      ...CLUSTER,
      podMonitor: { enabled: true, labels: { release: 'prom' } },
    });
    expect(text).toMatch(
      /kind: PodMonitor\n(.*\n)*? +release: prom\n(.*\n)*? +- \{ targetLabel: job, replacement: jobledger \}/,
    );
  });
});
