import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { readDefinition, TOOLS } from '../integrations/tools.ts';
import { loadYaml } from '../support/yaml.ts';

// `npm run test:integrations` runs the definitions by their tools.

const page = readFileSync('docs/integrations.md', 'utf8');

function blocksIn(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return Array.from(blocks, ([, text = '']) => text);
}

describe('the page about integrations', () => {
  it('shows the definitions that the tests run', () => {
    const definitions = Object.values(TOOLS).map(readDefinition);
    expect(blocksIn('python')).toEqual(definitions);
    expect(definitions).toHaveLength(readdirSync('examples/integrations').length);
  });

  it('names each package with the version that the tests install', () => {
    for (const { requirement } of Object.values(TOOLS)) {
      const [name = '', version = ''] = requirement.split('==');
      expect(page).toContain(`\`${name}\` ${version.split('.').slice(0, 2).join('.')}`);
    }
  });

  it('has manifests in which each Job names Jobledger', () => {
    const manifests = blocksIn('yaml').map((text) => loadYaml<Job & { kind: string }>(text));
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'MutatingPolicy',
      'Job',
      'Kustomization',
      'Task',
      'Job',
    ]);
    const jobs = manifests.filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ spec }) => spec.managedBy)).toEqual(jobs.map(() => OWN_MANAGER));
  });

  it('gives Kyverno the rule of the chart', () => {
    const [policy] = blocksIn('yaml').map((text) => loadYaml<{ spec: Record<string, unknown> }>(text));
    const chart = readFileSync('infra/deploy/chart/templates/managed-by-policy.yaml', 'utf8');
    const [condition, mutation] = [
      ...JSON.stringify(policy).matchAll(/"expression":("(?:[^"\\]|\\.)*")/g),
    ].map(([, text = '']) => JSON.parse(text) as string);
    expect(chart).toContain(`expression: '${condition}'`);
    expect(chart).toContain(`expression: '${mutation}'`);
  });
});
