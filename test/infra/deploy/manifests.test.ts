import { existsSync, readFileSync } from 'node:fs';
import { loadAllYaml, loadYaml } from '../../support/yaml.ts';
import { withoutTokenFiles } from '../../../services/adapters/kubernetes/token-files.ts';
import { SERVICES } from '../../../cli/verbs/up/service-children.ts';

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, unknown>;
      command?: string[];
      depends_on?: Record<string, unknown>;
      volumes?: string[];
      ports?: string[];
    }
  >;
  volumes: Record<string, unknown>;
}

describe('the file docker-compose.yml', () => {
  const { services, volumes } = loadYaml<Compose>(readFileSync('docker-compose.yml', 'utf8'));

  it.each(SERVICES)('runs the service %s', (name) => {
    expect(services[name]?.command).toEqual(['run', name]);
  });

  it('names in depends_on only services, and mounts only volumes, that it defines itself', () => {
    const all = Object.values(services);
    const awaited = all.flatMap(({ depends_on: names = {} }) => Object.keys(names));
    const mounted = all
      .flatMap(({ volumes: mounts = [] }) => mounts.map((mount) => mount.replace(/:.*/s, '')))
      .filter((name) => /^[\w-]+$/.test(name));
    expect(awaited.length).toBeGreaterThan(3);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(awaited));
    expect(Object.keys(volumes).toSorted()).toEqual([...new Set(mounted)].toSorted());
  });

  it('mounts files that exist', () => {
    const mounts = Object.values(services).flatMap(({ volumes: each = [] }) => each);
    const files = mounts
      .filter((mount) => mount.startsWith('./infra/'))
      .map((mount) => mount.replace(/:.*/s, ''));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect([file, existsSync(file)]).toEqual([file, true]);
  });

  // Neither has a password here: every process that reaches their ports can change the ledger and the workflows.
  it('publishes ports on loopback only, and neither those of Kafka nor of Temporal', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => ({ name, port })),
    );
    expect(published.length).toBeGreaterThan(2);
    expect(published.filter(({ port }) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(published.filter(({ name }) => name === 'kafka' || name === 'temporal')).toEqual([]);
  });

  it('contains no password, so that the user must choose each password', () => {
    const text = readFileSync('docker-compose.yml', 'utf8');
    const passwords = text.match(/\$\{[A-Z_]*PASSWORD[^}]*\}/g) ?? [];
    expect(passwords).toHaveLength(6);
    expect(passwords.filter((each) => !each.endsWith(':?choose a password}'))).toEqual([]);
  });

  it('gives Grafana and Postgres the same password', () => {
    const passwords = ['postgres', 'grafana'].map(
      (name) => services[name]?.environment?.['GRAFANA_POSTGRES_PASSWORD'],
    );
    expect(passwords[0]).toMatch(/^\$\{GRAFANA_POSTGRES_PASSWORD/);
    expect(passwords[1]).toBe(passwords[0]);
  });
});

describe('the deployments in the manifests', () => {
  it('run every service', () => {
    const objects = loadAllYaml(readFileSync('infra/deploy/kubernetes/deployments.yaml', 'utf8')) as {
      kind: string;
      metadata: { name: string };
    }[];
    const deployed = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
    expect(deployed.toSorted()).toEqual(SERVICES.map((name) => `jobledger-${name}`).toSorted());
  });

  it('log in with the token of their ServiceAccount, from the file that Kubernetes renews', () => {
    const objects = loadAllYaml(readFileSync('infra/deploy/kubernetes/deployments.yaml', 'utf8')) as {
      kind: string;
      data?: { kubeconfig?: string };
    }[];
    const [kubeconfig = ''] = objects.flatMap(({ data }) => data?.kubeconfig ?? []);
    expect([...withoutTokenFiles(kubeconfig, '/etc/jobledger').files]).toEqual([
      ['jobledger', '/var/run/secrets/kubernetes.io/serviceaccount/token'],
    ]);
  });
});
