import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHART_README, chartReadme } from '../../../infra/deploy/manifests/chart-readme.ts';
import { KUBERNETES_MINORS } from '../../../infra/local/tools/kubernetes-versions.ts';
import { loadYaml } from '../../support/yaml.ts';

interface Schema {
  properties?: Record<string, Schema>;
  $ref?: string;
  definitions?: Record<string, Schema>;
}

const values = loadYaml<object>(readFileSync('infra/deploy/chart/values.yaml', 'utf8'));
const schema = JSON.parse(readFileSync('infra/deploy/chart/values.schema.json', 'utf8')) as Schema;

/** The names of all values, by the schema. */
function namesIn({ properties, $ref }: Schema, within: string): string[] {
  const referred = schema.definitions?.[$ref?.replace('#/definitions/', '') ?? ''];
  const inner = Object.entries(properties ?? referred?.properties ?? {});
  if (inner.length === 0) return [within];
  return inner.flatMap(([name, each]) => namesIn(each, within === '' ? name : `${within}.${name}`));
}

function valueAt(name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values);
}

describe('the README of the chart', () => {
  const text = readFileSync(CHART_README, 'utf8');

  it('equals the text that "npm run manifests" writes', () => {
    expect(text).toBe(chartReadme());
  });

  it('has a row for each value that the schema allows, with its default', () => {
    const rows = new Map(
      Array.from(text.matchAll(/^\| `([\w.]+)` +\| (?:`(.*?)`)? +\|/gm), ([, name = '', value]) => [
        name,
        value,
      ]),
    );
    const names = namesIn(schema, '').filter(
      (name) => name !== 'global' && !/^services\..*\.secrets\./.test(name),
    );
    expect(names.length).toBeGreaterThan(60);
    for (const name of names) expect([name, rows.get(name)]).toEqual([name, JSON.stringify(valueAt(name))]);
  });

  it('names the tested Kubernetes versions, and Helm installs the chart from the oldest of these versions on', () => {
    const { kubeVersion } = loadYaml<{ kubeVersion: string }>(
      readFileSync('infra/deploy/chart/Chart.yaml', 'utf8'),
    );
    expect(kubeVersion).toBe(`>=${KUBERNETES_MINORS[0]}.0-0`);
    expect(text).toContain(`Kubernetes ${KUBERNETES_MINORS[0]} to ${KUBERNETES_MINORS.at(-1)} `);
  });

  it('explains what a value means, also when the value is the first in its map', () => {
    expect(text).toMatch(/^\| `cluster\.name` .*The name of the cluster in the ledger/m);
    expect(text).toMatch(/^\| `services\.worker` .*All replicas of the worker poll the same task queues/m);
    expect(text).toMatch(/^\| `secrets\.kafka` .*KAFKA_BROKERS/m);
  });
});
