import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { ledgerIn } from './ledger-in.ts';
import type { Rebuilt } from '../../services/projector/rebuild/rebuild.ts';

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A verb of the command line, run as a user does, with these variables only. */
export function jobledger(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  return runJobledger(PACKAGE_DIR, environment, ...args);
}

/** The same by the command line of another source tree. */
export async function runJobledger(
  root: string,
  environment: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<CommandResult> {
  const { PATH, HOME, JOBLEDGER_LOCAL_PORTS } = process.env;
  const options = {
    cwd: root,
    env: { PATH, HOME, JOBLEDGER_LOCAL_PORTS, ...environment },
    maxBuffer: 2 ** 28,
  };
  return promisify(execFile)('node', ['cli/jobledger.mjs', ...args], options).then(
    ({ stdout, stderr }) => ({ stdout, stderr, exitCode: 0 }),
    (error: unknown) => {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      return { stdout, stderr, exitCode: code };
    },
  );
}

/** `jobledger admin rebuild -o json`; throws its error output when it fails. */
export function rebuildTables(
  environment: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<Rebuilt & { exitCode: number }> {
  return rebuildTablesWith(PACKAGE_DIR, environment, ...args);
}

/** The same by the command line of another source tree. */
export async function rebuildTablesWith(
  root: string,
  environment: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<Rebuilt & { exitCode: number }> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = environment;
  const result = await runJobledger(
    root,
    { DATABASE_URL, DATABASE_DIRECT_URL, ...ledgerIn(environment) },
    'admin',
    'rebuild',
    '-o',
    'json',
    ...args,
  );
  if (result.stdout === '') throw new Error(`rebuild: ${result.stderr}`);
  return { ...(JSON.parse(result.stdout) as Rebuilt), exitCode: result.exitCode };
}

/** The differences: table, kind and key of each row. */
export function listDifferences({ tables }: Rebuilt): string[] {
  return tables.flatMap(({ table, shown }) =>
    shown.map(({ kind, key }) => `${table} ${kind} ${key.join(' ')}`),
  );
}
