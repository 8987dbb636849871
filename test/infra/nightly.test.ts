import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_KUBERNETES, KUBERNETES_MINORS } from '../../infra/local/tools/kubernetes-versions.ts';
import { parseYaml } from '../../services/adapters/kubernetes/yaml.ts';

interface Nightly {
  jobs: {
    suite: { strategy: { matrix: { script: string[] } } };
    kubernetes: { strategy: { matrix: { version: string[] } } };
  };
}

describe('the nightly test plan', () => {
  const { jobs } = parseYaml(readFileSync('.github/workflows/nightly.yml', 'utf8')) as Nightly;

  it('consists of scripts of the repository', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const wanted = jobs.suite.strategy.matrix.script.map((each) => each.split(' ')[0] ?? '');
    expect(wanted).toContain('test:long');
    expect(wanted.filter((each) => !(each in scripts))).toEqual([]);
  });

  it('covers all versions of Kubernetes that are not tested for each change', () => {
    const others = KUBERNETES_MINORS.filter((each) => each !== DEFAULT_KUBERNETES);
    expect(jobs.kubernetes.strategy.matrix.version).toEqual(others);
  });

  it('names existing test files, each with its reason', () => {
    const config = readFileSync('jest.config.mjs', 'utf8');
    const [, list = ''] = /^const LONG = \{\n(.*?)^\};/ms.exec(config) ?? [];
    const files = [...list.matchAll(/^ {2}'([^']+)':\s+'[^']{20,}',$/gm)].flatMap(([, name = '']) => {
      const [, folder = '', names = name.slice(name.indexOf('/') + 1)] = /^([^(]+)\((.+)\)$/.exec(name) ?? [];
      const under = folder === '' ? name.slice(0, name.indexOf('/') + 1) : folder;
      return names.split('|').map((each) => `test/${under}${each}.test.ts`);
    });
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});
