import type { Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';

/** Whether `jobledger admin verify --all` makes every decision of the run again; says what it found. */
export async function isVerified(
  installation: Installation,
  report: (line: string) => void,
): Promise<boolean> {
  await installation.haltServices();
  const { exitCode, decisions, findings } = await verifyAll(installation);
  report(`verify: ${decisions} decisions repeated, ${findings.length} differences`);
  for (const finding of findings) report(`  ${JSON.stringify(finding)}`);
  return exitCode === 0;
}
