import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { KUEUE } from '../../infra/local/tools/catalog.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import { upstreamModule } from '../../infra/local/tools/go-build.ts';
import { requireGo } from '../../infra/local/tools/prerequisite.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';
import type { Kubectl } from './kubectl.ts';
import { loadAllYaml } from './yaml.ts';

const NAMESPACE = 'kueue-system';
const SERVICE = 'kueue-webhook-service';
const SECRET = 'kueue-webhook-server-cert';
const AROUND = { report: () => undefined, signal: new AbortController().signal };

interface Manifest {
  kind: string;
}

/**
 * Installs Kueue in the first cluster of an installation as its chart does, and runs its program beside the cluster: the
 * local node has no images. `installation.services` stops it.
 */
export async function startKueue(installation: Installation, kubectl: Kubectl): Promise<void> {
  const { stateDir, services, servers } = installation;
  const folder = join(stateDir, 'kueue');
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates, { recursive: true });
  const program = await findTool('kueue', AROUND);
  const port = await reservePorts(join(folder, 'ports.json'), ['webhook', 'health']);
  const configuration = join(folder, 'configuration.json');
  const health = `${LOOPBACK}:${port('health')}`;
  writeFileSync(
    configuration,
    JSON.stringify(kueueConfiguration({ health, port: port('webhook'), certificates })),
  );

  await kubectl.run('create', 'namespace', NAMESPACE);
  const manifests = (await chartManifests(folder)).filter(isInstalled);
  const items = [...manifests.map((each) => withPort(each, port('webhook'))), SERVICE_OF_THIS_MACHINE];
  await kubectl.pipe(
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    'apply',
    '--server-side',
    '-f',
    '-',
  );
  const started = services.start({
    name: 'kueue',
    stage: 2,
    stopWithinMs: 10_000,
    command: () => ({
      file: program,
      args: ['--config', configuration],
      env: { PATH: process.env['PATH'], KUBECONFIG: servers.addresses.adminKubeconfig },
    }),
    ready: async (_child, signal) => {
      await eventually('Kueue is ready', 120, async () => {
        signal.throwIfAborted();
        const { ok } = await fetch(`http://${health}/readyz`);
        return ok || undefined;
      });
    },
  });
  await Promise.all([started, writeCertificates(kubectl, certificates)]);
}

/** Kueue makes the certificates of its webhooks, and waits until the kubelet has written them into the files of its pod. */
async function writeCertificates(kubectl: Kubectl, folder: string): Promise<void> {
  const data = await eventually('Kueue has certificates', 60, async () => {
    const secret = await kubectl.run('get', 'secret', SECRET, '-n', NAMESPACE, '-o', 'json');
    const found = (JSON.parse(secret) as { data?: Record<string, string> }).data;
    return found?.['tls.crt'] === undefined ? undefined : found;
  });
  for (const [name, value] of Object.entries(data)) writeFileSync(join(folder, name), value, 'base64');
}

function kueueConfiguration(at: { health: string; port: number; certificates: string }): object {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: at.health },
    metrics: { bindAddress: '0' },
    webhook: { host: LOOPBACK, port: at.port, certDir: at.certificates },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: true, webhookServiceName: SERVICE, webhookSecretName: SECRET },
    integrations: { frameworks: ['batch/job'] },
    featureGates: { VisibilityOnDemand: false },
  };
}

/** The manifests that the chart in Kueue's module renders. */
async function chartManifests(folder: string): Promise<Manifest[]> {
  const helm = await findTool('helm', AROUND);
  const go = await requireGo('fetching the chart of Kueue');
  const { dir } = await upstreamModule(go, KUEUE, { workDir: folder, ...AROUND });
  const chart = join(dir, 'charts', 'kueue');
  const rendered = execFileSync(helm, ['template', 'kueue', chart, '--namespace', NAMESPACE], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return loadAllYaml(rendered).filter((each): each is Manifest => each !== null);
}

const INSTALLED = [
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'Secret',
];

/** All but its pod, what reaches this pod, and the rights that it has as administrator. */
const isInstalled = ({ kind }: Manifest): boolean => INSTALLED.includes(kind);

/** The API server finds the webhooks on this machine, under the name for which Kueue makes their certificate. */
const SERVICE_OF_THIS_MACHINE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: SERVICE, namespace: NAMESPACE },
  spec: { type: 'ExternalName', externalName: 'localhost' },
};

/** The manifest with this port wherever it names the service of the webhooks. */
function withPort(manifest: Manifest, port: number): unknown {
  return JSON.parse(JSON.stringify(manifest), (key, value: unknown) =>
    key === 'service' ? { ...(value as object), port } : value,
  );
}
