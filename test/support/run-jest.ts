import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { CPU_FILE } from './cpu-time.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestRun extends Counts {
  /** The test files, how long each took, and the CPU time of those on real servers, without what shared servers used. */
  files: { file: string; seconds: number; cpuSeconds?: number }[];
  failures: Failure[];
}

export interface Failure {
  /** A failed test, as `<file>: <title>`, or a file that could not run. */
  test: string;
  /** What Jest prints about it. */
  message: string;
}

/** The result of a run that wrote none. */
export const FAILURE: TestRun = {
  passed: 0,
  failed: 1,
  skipped: 0,
  files: [],
  failures: [{ test: 'no results', message: 'see above' }],
};

/** The time that jest may take to exit once it has written its results. */
const ENDS_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 1000;

/** Runs one jest project and shows its output. A suite that cannot run counts as one failure. */
export async function runJest(
  project: 'pure' | 'servers',
  args: readonly string[],
  { limitMinutes, part }: { limitMinutes: number; part?: 'side-by-side' | 'alone' | 'long' },
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-jest-'));
  const outputFile = join(folder, 'results.json');
  const cpuFile = join(folder, 'cpu');
  try {
    const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
    const own = [`--selectProjects=${project}`, '--json', `--outputFile=${outputFile}`];
    const code = await runForExitCode([jest, ...own, ...args], { outputFile, cpuFile, limitMinutes, part });
    return withCpu(readResults(outputFile, code), cpuFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runForExitCode(
  args: readonly string[],
  {
    outputFile,
    cpuFile,
    limitMinutes,
    part,
  }: { outputFile: string; cpuFile: string; limitMinutes: number; part: string | undefined },
): Promise<number | null> {
  // With --json jest writes its results to standard output too; what a person reads is on standard error.
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...environment(), JOBLEDGER_TEST_PART: part, [CPU_FILE]: cpuFile },
  });
  const end = (why: string): void => {
    process.stderr.write(`${why}; it is ended\n`);
    child.kill('SIGKILL');
  };
  const limit = setTimeout(
    () => end(`the tests took more than ${limitMinutes} minutes`),
    limitMinutes * 60_000,
  );
  let writtenAt: number | undefined;
  const watch = setInterval(() => {
    if (existsSync(outputFile)) writtenAt ??= Date.now();
    if (writtenAt === undefined || Date.now() - writtenAt < ENDS_WITHIN_MS) return;
    clearInterval(watch);
    end('jest has its results and does not end: a test left something open');
  }, LOOK_EVERY_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      clearInterval(watch);
      resolve(code);
    });
  });
}

/** The start of an API server takes a fifth less CPU time when its memory may grow to five times what it uses before it is collected. */
const GOGC = '400';

/** Colours only on a terminal. */
function environment(): NodeJS.ProcessEnv {
  const given: NodeJS.ProcessEnv = { GOGC, ...process.env };
  if (process.stderr.isTTY) return given;
  const { FORCE_COLOR: _forced, ...rest } = given;
  return { ...rest, FORCE_COLOR: '0', NO_COLOR: '1' };
}

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

function readResults(outputFile: string, code: number | null): TestRun {
  if (!existsSync(outputFile)) return FAILURE;
  const results = JSON.parse(readFileSync(outputFile, 'utf8')) as Results;
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  return {
    passed: results.numPassedTests,
    // Jest can fail although no test did, e.g. by a coverage threshold.
    failed: failed === 0 && code !== 0 && code !== null ? 1 : failed,
    skipped: results.numPendingTests + results.numTodoTests,
    files: results.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(process.cwd(), name),
      seconds: (endTime - startTime) / 1000,
    })),
    failures: results.testResults.flatMap(failuresIn),
  };
}

function failuresIn({ name, status, message, assertionResults }: Results['testResults'][number]): Failure[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((each) => each.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [{ test: file, message }];
  return failed.map(({ fullName, failureMessages }) => ({
    test: `${file}: ${fullName}`,
    message: failureMessages.join('\n'),
  }));
}

function withCpu(run: TestRun, cpuFile: string): TestRun {
  if (!existsSync(cpuFile)) return run;
  const lines = readFileSync(cpuFile, 'utf8').trim().split('\n');
  const used = new Map(lines.map((line) => line.split('\t') as [string, string]));
  const files = run.files.map((each) => {
    const seconds = used.get(join(process.cwd(), each.file));
    return seconds === undefined ? each : { ...each, cpuSeconds: Number(seconds) };
  });
  return { ...run, files };
}

export function addRuns(one: TestRun, other: TestRun): TestRun {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    files: [...one.files, ...other.files],
    failures: [...one.failures, ...other.failures],
  };
}

/** Which files to look at when the tests take too long, with the CPU time of those on real servers. */
export function slowestLines({ files }: TestRun, count: number): string[] {
  return files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ file, seconds, cpuSeconds }) => {
      const cpu = cpuSeconds === undefined ? '' : `, CPU ${cpuSeconds.toFixed(1)} s`;
      return `${seconds.toFixed(1).padStart(7)} s  ${file}${cpu}`;
    });
}

/** The first lines of a failure's message. */
const MESSAGE_LINES = 12;

/** Each failed test with the beginning of its message, so that the end of a long log is enough to begin with. */
export function failureLines({ failures }: Pick<TestRun, 'failures'>): string[] {
  return failures.flatMap(({ test, message }) => [
    `  ${test}`,
    ...stripVTControlCharacters(message)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, MESSAGE_LINES)
      .map((line) => `      ${line}`),
  ]);
}

export function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
