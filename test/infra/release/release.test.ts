import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHART } from '../../../infra/deploy/manifests/chart.ts';
import { agreedVersion, readReleaseTexts, releaseNotes } from '../../../infra/release/agreed-version.ts';
import { writeReleasedChart } from '../../../infra/release/chart.ts';
import { FILES, releaseSteps } from '../../../infra/release/steps.ts';
import { loadYaml } from '../../support/yaml.ts';

const texts = {
  manifest: '{"version":"0.2.0"}',
  lock: '{"version":"0.2.0"}',
  chart: 'version: 0.2.0\nappVersion: 0.2.0\n',
  changelog: '# Changelog\n\n## 0.2.0, 2027-01-05\n\n- A.\n\n## 0.1.0, not released yet\n\n- B.\n',
};

describe('the version of a release', () => {
  it('is the version in package.json, lock file, chart and tag', () => {
    expect(agreedVersion(texts, 'v0.2.0')).toBe('0.2.0');
  });

  it('is refused when the version of a file differs, with the name of each such file', () => {
    const chart = 'version: 0.1.0\n';
    expect(() => agreedVersion({ ...texts, chart }, 'v0.3.0')).toThrow(
      'package.json has version 0.2.0, but version in infra/deploy/chart/Chart.yaml has 0.1.0, and appVersion in infra/deploy/chart/Chart.yaml has none, and the tag has 0.3.0',
    );
  });

  it('is, for this source tree, a version that can be released', () => {
    const own = readReleaseTexts(process.cwd());
    expect(releaseNotes(own, agreedVersion(own), false)).toMatch(/^This is the first version\./);
  });
});

describe('the notes of a release', () => {
  it('are the section of the version in the changelog', () => {
    expect(releaseNotes(texts, '0.2.0', true)).toBe('- A.');
  });

  it('must exist in the changelog, with the date of the release', () => {
    expect(() => releaseNotes(texts, '0.3.0', true)).toThrow('CHANGELOG.md has no heading "## 0.3.0"');
    expect(() => releaseNotes(texts, '0.1.0', true)).toThrow('write the date of the release instead');
    expect(releaseNotes(texts, '0.1.0', false)).toBe('- B.');
  });
});

describe('the chart of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-chart-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names the image of the release by default, and has no other change', () => {
    const [chart, image] = [join(folder, 'chart'), 'ghcr.io/owner/jobledger'];
    writeReleasedChart(chart, image);
    const of = (at: string): string => readFileSync(join(at, 'values.yaml'), 'utf8');
    expect(of(chart)).toBe(of(CHART).replace('  repository: jobledger\n', `  repository: ${image}\n`));
    const readme = readFileSync(join(chart, 'README.md'), 'utf8');
    expect(readme).toContain('| `image.repository` | `"ghcr.io/owner/jobledger"` |');
    const listFiles = (at: string): Set<string> =>
      new Set(readdirSync(at, { recursive: true, encoding: 'utf8' }));
    expect(listFiles(chart)).toEqual(listFiles(CHART));
  });
});

describe('the build steps of a release', () => {
  const steps = releaseSteps({ version: '0.2.0', folder: 'out', chart: 'out/chart', helm: 'helm' });
  const commands = steps.flatMap((step) => step.commands.map((command) => command.join(' ')));

  it('run the tests first, and publish no artefact, because another job publishes', () => {
    expect(steps[0]?.commands).toEqual([
      ['bash', '.ci/run'],
      ['npm', 'run', 'test:long'],
    ]);
    expect(commands.filter((command) => /push|publish|sign|gh |login/.test(command))).toEqual([]);
  });

  it('store each file under a name without the version, and the digests of the files', () => {
    const moved = commands.filter((command) => command.startsWith('mv '));
    expect(moved).toEqual([
      'mv out/jobledger-0.2.0.tgz out/chart.tgz',
      'mv out/jobledger-client-0.2.0.tgz out/client.tgz',
      'mv out/jobledger-0.2.0.tgz out/command-line.tgz',
    ]);
    expect(commands.at(-1)).toBe(
      'bash -c cd out && sha256sum image.tar chart.tgz client.tgz command-line.tgz notes.md > SHA256SUMS',
    );
  });

  it('build the image once for both platforms, with a bill of materials and provenance', () => {
    const builds = commands.filter((command) => command.startsWith('docker '));
    expect(builds).toEqual([
      'docker buildx build --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true --output type=oci,dest=out/image.tar .',
    ]);
  });
});

it.each(['ci', 'ahead'])('the workflow %s runs only scripts of the repository', (name) => {
  const text = readFileSync(`.github/workflows/${name}.yml`, 'utf8');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const runs = [...text.matchAll(/^\s+- run: (.+)$/gm)].map(([, line = '']) => line);
  expect(runs.length).toBeGreaterThan(0);
  for (const line of runs) {
    const script = /^npm run (\S+)/.exec(line)?.[1];
    expect(script === undefined ? ['bash .ci/run', 'npm ci'].includes(line) : script in scripts).toBe(true);
  }
});

describe('the workflows of GitHub', () => {
  const files = readdirSync('.github/workflows');
  const readWorkflowFile = (file: string): string => readFileSync(join('.github/workflows', file), 'utf8');

  it.each(files)('use actions by the digests of their commits: %s', (file) => {
    const used = readWorkflowFile(file).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((each) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(each))).toEqual([]);
  });

  it.each(files)('download no server from its publisher: %s', (file) => {
    expect(loadYaml<{ env: object }>(readWorkflowFile(file)).env).toEqual({ JOBLEDGER_TOOLS: 'build' });
  });

  describe('for a release', () => {
    interface Step {
      uses?: string;
      run?: string;
      with?: Record<string, unknown>;
      env?: Record<string, string>;
    }
    const { permissions, jobs } = loadYaml<{
      permissions: object;
      jobs: Record<
        string,
        { needs?: string; permissions?: object; outputs?: object; env?: object; steps: Step[] }
      >;
    }>(readWorkflowFile('release.yml'));
    const { build, publish } = jobs;
    const runs = (steps: readonly Step[] = []): string => steps.flatMap(({ run }) => run ?? []).join('\n');

    it('test and build without a right to publish and without a secret', () => {
      expect(permissions).toEqual({ contents: 'read' });
      expect(build).not.toHaveProperty('permissions');
      expect(JSON.stringify(build)).not.toMatch(/secrets|GITHUB_TOKEN|github\.token|: ?write|login-action/);
      const checkout = build?.steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkout?.with).toEqual({ 'persist-credentials': false });
      expect(runs(build?.steps)).toContain('npm run release -- --registry');
    });

    it('publish in a job that runs no code of the repository or of a package', () => {
      expect(Object.keys(jobs)).toEqual(['build', 'publish']);
      expect(publish?.needs).toBe('build');
      const actions = publish?.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? []);
      expect(actions).toEqual([
        'actions/setup-node',
        'actions/download-artifact',
        'docker/login-action',
        'sigstore/cosign-installer',
      ]);
      const message = runs(publish?.steps);
      expect(message).not.toMatch(
        /\b(node|npx|make|bash|docker|git)\b |npm (?!publish \.\/)|--build|\bsource\b/,
      );
      for (const line of message.split('\n').filter((each) => each.startsWith('npm ')))
        expect(line).toMatch(/^npm publish \.\/[\w-]+\.tgz --access public --ignore-scripts$/);
    });

    it('compare the files with the digests of the build before any step has a secret', () => {
      expect(build?.outputs).toEqual({ digest: '${{ steps.digest.outputs.digest }}' });
      const steps = publish?.steps ?? [];
      const compares = steps.findIndex(({ run = '' }) =>
        run.includes('sha256sum --check --strict SHA256SUMS'),
      );
      expect(steps[compares]?.env).toEqual({ DIGEST: '${{ needs.build.outputs.digest }}' });
      expect(steps[compares]?.run).toContain('echo "$DIGEST  SHA256SUMS" | sha256sum --check --strict &&');
      expect(publish).not.toHaveProperty('env');
      expect(steps.findIndex((step) => JSON.stringify(step).includes('secrets.'))).toBeGreaterThan(compares);
      const published = [...runs(steps).matchAll(/[\w-]+\.(?:tgz|tar|md)\b/g)].map(([name]) => name);
      expect(new Set(published)).toEqual(new Set(FILES));
    });

    it('sign each pushed artefact by its digest', () => {
      const signed = [...runs(publish?.steps).matchAll(/cosign sign --yes (.*)/g)].map(([, what]) => what);
      expect(signed).toEqual([
        '"$image@$(cat ../image.digest)"',
        `"$charts/jobledger@$(sed -n 's/^Digest: //p' ../chart.pushed)"`,
      ]);
    });
  });
});
