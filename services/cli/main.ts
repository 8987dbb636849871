import { Command } from 'commander';
import { registerClusters } from './commands/clusters.ts';
import { registerDeadLetters } from './commands/dead-letters.ts';
import { registerDemo } from './commands/demo.ts';
import { registerDescribe } from './commands/describe.ts';
import { registerExport } from './commands/export.ts';
import { registerGet } from './commands/get.ts';
import { registerHistory } from './commands/history.ts';
import { registerMigrate } from './commands/migrate.ts';
import { registerReplay } from './commands/replay.ts';
import { registerRebuild } from './commands/rebuild.ts';
import { registerResume } from './commands/resume.ts';
import { registerImport } from './commands/import.ts';
import { registerRetention } from './commands/retention.ts';
import { registerServers } from './commands/servers.ts';
import { registerServices } from './commands/service.ts';
import { registerSuspend } from './commands/suspend.ts';
import { registerUp } from './commands/up.ts';
import { registerUpgrade } from './commands/upgrade.ts';
import { registerVerify } from './commands/verify.ts';
import { registerWhatIf } from './commands/what-if.ts';
import { registerWhy } from './commands/why.ts';
import { exitCodeFor } from './failure.ts';

/** Every verb, in the order of `jobledger --help`. */
const VERBS: readonly ((program: Command) => void)[] = [
  registerDemo,
  registerUp,
  registerServers,
  registerGet,
  registerDescribe,
  registerHistory,
  registerWhy,
  registerReplay,
  registerWhatIf,
  registerVerify,
  registerExport,
  registerImport,
  registerSuspend,
  registerResume,
  registerMigrate,
  registerUpgrade,
  registerRebuild,
  registerRetention,
  registerDeadLetters,
  registerClusters,
  registerServices,
];

/** Runs one verb. Sets the exit status: 0 done, 1 failed, 2 wrongly asked. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('jobledger')
    .description('Drives Kubernetes Jobs by durable workflows and keeps everything about them in one ledger')
    .showHelpAfterError('(jobledger --help shows how)')
    .exitOverride();
  for (const register of VERBS) register(program);
  // Whoever reads the output may stop reading, as `head` does.
  process.stdout.on('error', () => undefined);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
}
