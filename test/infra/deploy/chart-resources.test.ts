import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadYaml } from '../../support/yaml.ts';

interface Values {
  services: Record<string, { replicas?: number; resources: { requests: { cpu: string; memory: string } } }>;
}

/** `service: [ms of CPU a Job, MB of peak memory, text for 10 Jobs a second, text for 100]`. */
const TABLE = new Map(
  Array.from(
    readFileSync('docs/sizing.md', 'utf8').matchAll(
      /^\| (\w+) +\| ([\d.]+) ms +\| (\d+) MB +\| (\d.*?) +\| (\d.*?) +\|$/gm,
    ),
    ([, service = '', cpu, memory, ten, hundred]) => [
      service,
      { cpu: Number(cpu), memory: Number(memory), text: { 10: ten, 100: hundred } },
    ],
  ),
);

const defaults = loadYaml<Values>(readFileSync('infra/deploy/chart/values.yaml', 'utf8'));
const forMore = loadYaml<Values>(readFileSync('infra/deploy/chart/values-100-jobs-a-second.yaml', 'utf8'));

/** Millicores; mebibytes. */
function numbers({ cpu, memory }: { cpu: string; memory: string }): { cpu: number; memory: number } {
  return {
    cpu: Number.parseInt(cpu, 10),
    memory: Number.parseInt(memory, 10) * (memory.endsWith('Gi') ? 1024 : 1),
  };
}

describe.each([
  [10, defaults],
  [100, forMore],
] as const)('the resources for %i Jobs a second', (rate, { services }) => {
  it.each(['ingester', 'dispatcher', 'worker', 'projector'])(
    'equal, for the %s, the values of the sizing page, and suffice with one replica less',
    (service) => {
      const measured = TABLE.get(service);
      const own = services[service];
      const replicas = own?.replicas ?? defaults.services[service]?.replicas ?? 0;
      const { cpu, memory } = own?.resources.requests ?? { cpu: '', memory: '' };
      expect(measured?.text[rate]).toBe(`${replicas} × ${cpu}, ${memory}`);
      const requested = numbers({ cpu, memory });
      // One ingester of a cluster works, whatever their number.
      const working = service === 'ingester' ? 1 : replicas - 1;
      expect(working * requested.cpu).toBeGreaterThanOrEqual((measured?.cpu ?? Infinity) * rate);
      expect(requested.memory * 1.048_576).toBeGreaterThanOrEqual(measured?.memory ?? Infinity);
    },
  );
});
