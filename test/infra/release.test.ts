import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHART } from '../../infra/manifests/chart.ts';
import { agreedVersion, readReleaseTexts, releaseNotes } from '../../infra/release/agreed-version.ts';
import { writeReleasedChart } from '../../infra/release/chart.ts';
import { releaseSteps } from '../../infra/release/steps.ts';

const texts = {
  manifest: '{"version":"0.2.0"}',
  lock: '{"version":"0.2.0"}',
  chart: 'version: 0.2.0\nappVersion: 0.2.0\n',
  changelog: '# Changelog\n\n## 0.2.0, 2027-01-05\n\n- A.\n\n## 0.1.0, not released yet\n\n- B.\n',
};

describe('the version of a release', () => {
  it('is that of package.json, lock file, chart and tag', () => {
    expect(agreedVersion(texts, 'v0.2.0')).toBe('0.2.0');
  });

  it('is refused when one of them has another, with each that has', () => {
    const chart = 'version: 0.1.0\n';
    expect(() => agreedVersion({ ...texts, chart }, 'v0.3.0')).toThrow(
      'package.json has version 0.2.0, but version in infra/chart/Chart.yaml has 0.1.0, and appVersion in infra/chart/Chart.yaml has none, and the tag has 0.3.0',
    );
  });

  it('of this tree can be released', () => {
    const own = readReleaseTexts(process.cwd());
    expect(releaseNotes(own, agreedVersion(own), false)).toMatch(/^The first version\./);
  });
});

describe('the notes of a release', () => {
  it('are its part of the changelog', () => {
    expect(releaseNotes(texts, '0.2.0', true)).toBe('- A.');
  });

  it('must be there, and final', () => {
    expect(() => releaseNotes(texts, '0.3.0', true)).toThrow('CHANGELOG.md has no heading "## 0.3.0"');
    expect(() => releaseNotes(texts, '0.1.0', true)).toThrow('write the date of the release instead');
    expect(releaseNotes(texts, '0.1.0', false)).toBe('- B.');
  });
});

describe('the chart of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-chart-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names the image of the release by default; nothing else of it differs', () => {
    const [chart, image] = [join(folder, 'chart'), 'ghcr.io/owner/jobledger'];
    writeReleasedChart(chart, image);
    const of = (at: string): string => readFileSync(join(at, 'values.yaml'), 'utf8');
    expect(of(chart)).toBe(of(CHART).replace('  repository: jobledger\n', `  repository: ${image}\n`));
    const readme = readFileSync(join(chart, 'README.md'), 'utf8');
    expect(readme).toContain('| `image.repository` | `"ghcr.io/owner/jobledger"` |');
    const filesOf = (at: string): Set<string> =>
      new Set(readdirSync(at, { recursive: true, encoding: 'utf8' }));
    expect(filesOf(chart)).toEqual(filesOf(CHART));
  });
});

describe('the steps of a release', () => {
  const steps = releaseSteps({
    version: '0.2.0',
    registry: 'ghcr.io/owner',
    folder: 'out',
    notes: 'out/notes.md',
    chart: 'out/chart',
    helm: 'helm',
  });

  it('test and build before they publish', () => {
    const first = steps.findIndex(({ publishes }) => publishes);
    expect(steps.slice(first).every(({ publishes }) => publishes)).toBe(true);
    expect(first).toBeGreaterThan(2);
    expect(steps[0]?.commands).toEqual([['bash', '.ci/run']]);
  });

  it('publish only where they say so', () => {
    const isPublic = (command: readonly string[]): boolean =>
      command.some((word) => ['push', '--push', 'sign', 'release', 'publish'].includes(word));
    for (const { commands, publishes } of steps) expect(commands.some(isPublic)).toBe(publishes);
  });

  it('publish each package from the file that was packed before', () => {
    const commands = steps.flatMap((step) => step.commands.map((command) => command.join(' ')));
    expect(commands.filter((command) => /^npm (pack|publish) /.test(command))).toEqual([
      'npm pack ./build/clients/typescript --pack-destination out',
      'npm pack ./build/command-line --pack-destination out/npm',
      'npm publish out/jobledger-client-0.2.0.tgz --access public',
      'npm publish out/npm/jobledger-0.2.0.tgz --access public',
    ]);
  });

  it('build for both platforms, with a bill of materials and provenance', () => {
    const builds = steps.flatMap(({ commands }) => commands.filter(([file]) => file === 'docker'));
    expect(builds).toHaveLength(2);
    for (const build of builds)
      expect(build).toEqual(
        expect.arrayContaining(['linux/amd64,linux/arm64', '--provenance=mode=max', '--sbom=true']),
      );
  });
});

it.each(['ci', 'release', 'ahead'])('the workflow %s runs only scripts of the repository', (name) => {
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
  const textOf = (file: string): string => readFileSync(join('.github/workflows', file), 'utf8');

  it.each(files)('use actions by the digests of their commits: %s', (file) => {
    const used = textOf(file).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((each) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(each))).toEqual([]);
  });

  it('run the suite of a release without a right to publish', () => {
    const [build = '', publish = ''] = textOf('release.yml').split(/^ {2}publish:$/m);
    expect(build).toContain('permissions: { contents: read }');
    expect(build).toContain('npm run release -- --dry-run');
    expect(build).not.toMatch(/: write|secrets\./);
    expect(publish).toContain('needs: build');
    expect(publish).toContain('npm run release -- --without-suite');
  });
});
