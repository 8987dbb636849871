import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { InputError } from '../../services/adapters/errors.ts';

const run = promisify(execFile);

/** The standard output and error of a program; undefined when it cannot be run or fails. */
export async function outputOf(file: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await run(file, args, { timeout: 20_000 });
    return `${stdout}${stderr}`;
  } catch {
    return undefined;
  }
}

/** @throws InputError when Go, which builds missing servers, is not installed. */
export async function requireGo(wantedFor: string): Promise<string> {
  if ((await outputOf('go', ['version'])) !== undefined) return 'go';
  throw missing(
    wantedFor,
    'Go 1.26 or later',
    'install it from https://go.dev/dl or the package manager (golang-go)',
  );
}

/** @throws InputError when Maven, which fetches Kafka, is not installed. */
export async function requireMaven(wantedFor: string): Promise<string> {
  if ((await outputOf('mvn', ['--version'])) !== undefined) return 'mvn';
  throw missing(wantedFor, 'Apache Maven 3.6 or later', 'install it with the package manager (maven)');
}

/**
 * A Java runtime of version 17 or later, from JAVA_HOME or PATH: its path and its version text. @throws InputError if there is
 * none.
 */
export async function requireJava(wantedFor: string): Promise<{ java: string; javaVersion: string }> {
  const home = process.env['JAVA_HOME'];
  const candidates = [...(home === undefined || home === '' ? [] : [`${home}/bin/java`]), 'java'];
  for (const java of candidates) {
    const javaVersion = (await outputOf(java, ['-version'])) ?? '';
    const major = /version "(?:1\.)?(\d+)/.exec(javaVersion)?.[1];
    if (Number(major ?? 0) >= 17) return { java, javaVersion };
  }
  throw missing(
    wantedFor,
    'Java 17 or later',
    'install it with the package manager (openjdk-17-jre-headless), or set JAVA_HOME',
  );
}

function missing(wantedFor: string, what: string, advice: string): InputError {
  return new InputError(`${wantedFor} needs ${what}, which is missing: ${advice}`);
}
