import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { FIRST_RELEASE, stampOfSources } from '../../services/installation/stamp.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { findTool } from '../local/tools/find-tool.ts';
import { runProgram } from '../local/tools/run-program.ts';
import { agreedVersion, readReleaseTexts, releaseNotes } from './agreed-version.ts';
import { writeReleasedChart } from './chart.ts';
import { imageName, releaseSteps, type ReleaseStep } from './steps.ts';

// The release workflow runs `npm run release -- --registry ghcr.io/OWNER --tag v0.2.0`, which tests and builds, and
// publishes nothing. With `--dry-run`, the release continues after a failed step, and needs no tag.

const { values } = parseArgs({
  options: {
    registry: { type: 'string', default: 'registry.example' },
    tag: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const isDry = values['dry-run'];
const report = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  process.exitCode = await release();
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  process.stderr.write(`release: ${errorMessage(error)}\n`);
  process.exitCode = 2;
}

async function release(): Promise<number> {
  if (!isDry && values.tag === undefined) throw new InputError('give the tag to release, or --dry-run');
  const texts = readReleaseTexts(PACKAGE_DIR);
  const version = agreedVersion(texts, values.tag);
  requireStamp(version);
  const built = join(PACKAGE_DIR, 'build', 'release');
  const folder = join(built, 'files');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.md'), `${releaseNotes(texts, version, !isDry)}\n`);
  const chart = join(built, 'chart');
  writeReleasedChart(chart, imageName(values.registry));
  const helm = await findTool('helm', { report, signal: new AbortController().signal });
  const failed: string[] = [];
  for (const step of releaseSteps({ version, folder, chart, helm })) {
    report(step.name);
    const problem = tryStep(step);
    if (problem !== null && !isDry) throw new InputError(problem);
    if (problem !== null) failed.push(problem);
  }
  for (const problem of failed) report(`failed: ${problem}`);
  report(`${version} is built, and nothing is published; its files are in ${folder}`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * Checks FIRST_RELEASE: it must be the stamp of the sources in version 1.0.0, and must be set in every later version.
 * @throws InputError when it is wrong and this is no dry run.
 */
function requireStamp(version: string): void {
  const stamp = stampOfSources(PACKAGE_DIR);
  const isFirst = version === '1.0.0';
  if (isFirst ? FIRST_RELEASE === stamp : FIRST_RELEASE !== null) return;
  const problem = `write FIRST_RELEASE = '${stamp}' into services/installation/stamp.ts, so that later versions accept the data of this version`;
  if (!isDry) throw new InputError(problem);
  report(problem);
}

/** Runs the commands of a step. Returns the failure of the first command that fails. */
function tryStep({ commands }: ReleaseStep): string | null {
  try {
    for (const [file, ...args] of commands) runProgram(file, args, { cwd: PACKAGE_DIR, isShown: true });
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}
