import { readFileSync } from 'node:fs';
import { loadAllYaml, loadYaml } from '@kubernetes/client-node';
import { SERVICES } from '../../services/cli/up/service-children.ts';

interface Compose {
  services: Record<string, { command?: string[]; depends_on?: Record<string, unknown>; volumes?: string[] }>;
  volumes: Record<string, unknown>;
}

describe('docker-compose.yml', () => {
  const { services, volumes } = loadYaml<Compose>(readFileSync('docker-compose.yml', 'utf8'));

  it.each(SERVICES)('runs the %s', (name) => {
    expect(services[name]?.command).toEqual([name]);
  });

  it('waits for servers and mounts volumes that it has', () => {
    for (const { depends_on: wanted = {}, volumes: mounts = [] } of Object.values(services)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(wanted)));
      const named = mounts.map((mount) => mount.replace(/:.*/s, '')).filter((name) => /^[\w-]+$/.test(name));
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
    }
  });
});

describe('the deployments', () => {
  it('run every service', () => {
    const objects = loadAllYaml(readFileSync('infra/kubernetes/deployments.yaml', 'utf8')) as {
      kind: string;
      metadata: { name: string };
    }[];
    const deployed = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
    expect(deployed.toSorted()).toEqual(SERVICES.map((name) => `jobledger-${name}`).toSorted());
  });
});
