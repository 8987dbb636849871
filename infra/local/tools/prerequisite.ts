import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { InputError } from '../../../services/adapters/errors.ts';

const run = promisify(execFile);

/** The standard output and error of a program; undefined when it cannot be run or fails. */
export async function readOutput(file: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await run(file, args, { timeout: 20_000, env: process.env });
    return `${stdout}${stderr}`;
  } catch {
    return undefined;
  }
}

interface Prerequisite {
  readonly what: string;
  readonly install: string;
  readonly isThere: () => Promise<boolean>;
}

/** Programs that run or build servers, and the way to install each program. */
const PREREQUISITES = {
  go: {
    what: 'Go 1.26 or later',
    install:
      'https://go.dev/dl, dnf install golang (Fedora), brew install go (macOS), or apt-get install golang-go where that is new enough',
    isThere: () => hasVersion('go', ['version'], /go(\d+)\.(\d+)/, [1, 26]),
  },
  maven: {
    what: 'Apache Maven 3.6 or later',
    install: 'apt-get install maven (Debian), dnf install maven (Fedora), brew install maven (macOS)',
    isThere: () => hasVersion('mvn', ['--version'], /Maven (\d+)\.(\d+)/, [3, 6]),
  },
  java: {
    what: 'Java 17 or later',
    install:
      'apt-get install default-jre-headless (Debian), dnf install java-21-openjdk-headless (Fedora), brew install openjdk (macOS), or set JAVA_HOME',
    isThere: async () => (await javaRuntime()) !== undefined,
  },
  tar: {
    what: 'tar',
    install: 'apt-get install tar (Debian), dnf install tar (Fedora), part of macOS',
    isThere: async () => (await readOutput('tar', ['--version'])) !== undefined,
  },
} as const satisfies Record<string, Prerequisite>;

/** True when a program exists in this version or a later version. */
async function hasVersion(
  file: string,
  args: readonly string[],
  pattern: RegExp,
  [major, minor]: readonly [number, number],
): Promise<boolean> {
  const [, first, second] = (pattern.exec((await readOutput(file, args)) ?? '') ?? []).map(Number);
  if (first === undefined || second === undefined) return false;
  return first > major || (first === major && second >= minor);
}

export type PrerequisiteName = keyof typeof PREREQUISITES;

/**
 * Checks that the programs are installed. @throws InputError that names each missing program, its purpose, and the way
 * to install it on Debian, Fedora and macOS. `wanted` has the purpose of each program, for example
 * `building etcd 3.7.0`.
 */
export async function requirePrograms(
  wanted: Partial<Record<PrerequisiteName, readonly string[]>>,
): Promise<void> {
  const names = (Object.keys(wanted) as PrerequisiteName[]).filter((name) => (wanted[name] ?? []).length > 0);
  const found = await Promise.all(names.map((name) => PREREQUISITES[name].isThere()));
  const missing = names.filter((_name, at) => found[at] === false);
  if (missing.length === 0) return;
  const lines = missing.map((name) => {
    const { what, install } = PREREQUISITES[name];
    return `${what}, for ${(wanted[name] ?? []).join(', ')}: ${install}`;
  });
  throw new InputError(
    lines.length === 1
      ? `missing: ${lines[0]}`
      : `missing:\n${lines.map((line) => `  - ${line}`).join('\n')}`,
  );
}

/** The path of Go. @throws InputError when Go is not installed. */
export async function requireGo(wantedFor: string): Promise<string> {
  await requirePrograms({ go: [wantedFor] });
  return 'go';
}

/**
 * The path and the version text of a Java runtime of version 17 or later, from JAVA_HOME or PATH. @throws InputError
 * if no such runtime exists.
 */
export async function requireJava(wantedFor: string): Promise<{ java: string; javaVersion: string }> {
  const found = await javaRuntime();
  if (found !== undefined) return found;
  await requirePrograms({ java: [wantedFor] });
  throw new InputError('unreachable: Java was not found a moment ago');
}

async function javaRuntime(): Promise<{ java: string; javaVersion: string } | undefined> {
  const home = process.env['JAVA_HOME'];
  const candidates = [...(home === undefined || home === '' ? [] : [`${home}/bin/java`]), 'java'];
  for (const java of candidates) {
    const javaVersion = (await readOutput(java, ['-version'])) ?? '';
    const major = /version "(?:1\.)?(\d+)/.exec(javaVersion)?.[1];
    if (Number(major ?? 0) >= 17) return { java, javaVersion };
  }
  return undefined;
}
