import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ledgerIn } from './ledger-in.ts';
import type { Installation } from './installation.ts';

export interface Verification {
  findings: unknown[];
  decisions: number;
  exitCode: number;
}

/** `jobledger verify --all` as a user runs it, with Kafka alone. */
export async function verifyAll(
  { environment, stateDir }: Pick<Installation, 'environment' | 'stateDir'>,
  topic = environment['JOBLEDGER_LEDGER_TOPIC'],
): Promise<Verification> {
  const { PATH, HOME } = environment;
  const env = { PATH, HOME, ...ledgerIn(environment), JOBLEDGER_LEDGER_TOPIC: topic };
  const args = ['cli/jobledger.mjs', 'verify', '--all', '-o', 'json', '--state-dir', stateDir];
  const { stdout, exitCode } = await promisify(execFile)('node', args, { env, maxBuffer: 2 ** 28 }).then(
    ({ stdout: output }) => ({ stdout: output, exitCode: 0 }),
    (error: unknown) => {
      const { stdout: output, code } = error as { stdout: string; code: number };
      return { stdout: output, exitCode: code };
    },
  );
  return { ...(JSON.parse(stdout) as Omit<Verification, 'exitCode'>), exitCode };
}
