import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agreedVersion, readReleaseTexts } from '../../infra/release/agreed-version.ts';
import { writeReleasedChart } from '../../infra/release/chart.ts';
import { imageName, releaseSteps } from '../../infra/release/steps.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

/** The parts that a release publishes besides the image. */
export interface ReleaseParts {
  /** The packed chart. */
  chart: string;
  /** The packed npm package of the command line. */
  commandLine: string;
}

/** The image of the release, with its tag. */
export function releasedImage(registry: string): string {
  return `${imageName(registry)}:${agreedVersion(readReleaseTexts(PACKAGE_DIR))}`;
}

/** Builds them in the folder by the steps of a release (`npm run release`). */
export function releaseParts(
  folder: string,
  { helm, registry }: { helm: string; registry: string },
): ReleaseParts {
  const version = agreedVersion(readReleaseTexts(PACKAGE_DIR));
  const chart = join(folder, 'chart');
  mkdirSync(folder, { recursive: true });
  writeReleasedChart(chart, imageName(registry));
  for (const { name, commands } of releaseSteps({ version, folder, chart, helm }))
    if (['the chart', 'the command line over the API'].includes(name))
      for (const [file, ...args] of commands)
        execFileSync(file, args, { cwd: PACKAGE_DIR, stdio: ['ignore', 'ignore', 'inherit'] });
  return { chart: join(folder, 'chart.tgz'), commandLine: join(folder, 'command-line.tgz') };
}

/** Installs the packed command line in an empty folder. Returns the path of its program. */
export function installCommandLine(packed: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  const flags = ['--offline', '--silent', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  execFileSync('npm', ['install', packed, ...flags], { cwd: folder });
  return join(folder, 'node_modules', '.bin', 'jobledger');
}
