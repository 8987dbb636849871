import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ledgerIn } from './ledger-in.ts';
import type { Rebuilt } from '../../services/projector/rebuild/rebuild.ts';

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A verb of the command line, run as a user does, with these variables only. */
export async function jobledger(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  const { PATH, HOME, JOBLEDGER_LOCAL_PORTS } = process.env;
  const options = { env: { PATH, HOME, JOBLEDGER_LOCAL_PORTS, ...environment }, maxBuffer: 2 ** 28 };
  return promisify(execFile)('node', ['cli/jobledger.mjs', ...args], options).then(
    ({ stdout, stderr }) => ({ stdout, stderr, exitCode: 0 }),
    (error: unknown) => {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      return { stdout, stderr, exitCode: code };
    },
  );
}

/** `jobledger rebuild -o json`; throws its error output when it fails. */
export async function rebuildTables(
  environment: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<Rebuilt & { exitCode: number }> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = environment;
  const result = await jobledger(
    { DATABASE_URL, DATABASE_DIRECT_URL, ...ledgerIn(environment) },
    'rebuild',
    '-o',
    'json',
    ...args,
  );
  if (result.stdout === '') throw new Error(`rebuild: ${result.stderr}`);
  return { ...(JSON.parse(result.stdout) as Rebuilt), exitCode: result.exitCode };
}

/** What differs: table, kind and key of each row. */
export function differencesOf({ tables }: Rebuilt): string[] {
  return tables.flatMap(({ table, shown }) =>
    shown.map(({ kind, key }) => `${table} ${kind} ${key.join(' ')}`),
  );
}
