import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import type { PlacementProof } from '../../workflows/history/placements/types.ts';
import { ledgerIn } from './ledger-in.ts';
import type { Installation } from './installation.ts';

export interface Verification {
  findings: unknown[];
  decisions: number;
  /** Null without placed Jobs, unless it was asked for. */
  placements: PlacementProof | null;
  exitCode: number;
}

interface Verified extends Pick<Installation, 'environment' | 'stateDir'> {
  /** The source tree whose command line verifies. Default: this one. */
  root?: string;
}

/** `jobledger admin verify --all` as a user runs it, with Kafka alone. */
export function verifyAll(
  installation: Verified,
  topic = installation.environment['JOBLEDGER_LEDGER_TOPIC'],
): Promise<Verification> {
  return verify(installation, ['--all'], topic);
}

/** `jobledger admin verify` with these arguments. */
export async function verify(
  { environment, stateDir, root = PACKAGE_DIR }: Verified,
  what: readonly string[],
  topic = environment['JOBLEDGER_LEDGER_TOPIC'],
): Promise<Verification> {
  const { PATH, HOME } = environment;
  const env = { PATH, HOME, ...ledgerIn(environment), JOBLEDGER_LEDGER_TOPIC: topic };
  const args = ['cli/jobledger.mjs', 'admin', 'verify', ...what, '-o', 'json', '--state-dir', stateDir];
  const { stdout, exitCode } = await promisify(execFile)('node', args, {
    cwd: root,
    env,
    maxBuffer: 2 ** 28,
  }).then(
    ({ stdout: output }) => ({ stdout: output, exitCode: 0 }),
    (error: unknown) => {
      const { stdout: output, stderr, code } = error as { stdout: string; stderr: string; code: number };
      if (output === '') throw new Error(`jobledger admin verify printed nothing: ${stderr}`);
      return { stdout: output, exitCode: code };
    },
  );
  return { ...(JSON.parse(stdout) as Omit<Verification, 'exitCode'>), exitCode };
}
