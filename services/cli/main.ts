import { Command } from 'commander';
import { registerCheckpoint } from './verbs/checkpoint/checkpoint.ts';
import { registerClusters } from './verbs/clusters.ts';
import { registerCron } from './verbs/cron.ts';
import { registerDeadLetters } from './verbs/dead-letters/dead-letters.ts';
import { registerDescribe } from './verbs/describe/describe.ts';
import { registerExport } from './verbs/export/export.ts';
import { registerGet } from './verbs/get/get.ts';
import { registerHistory } from './verbs/history/history.ts';
import { registerMigrate } from './verbs/migrate.ts';
import { registerOpen } from './verbs/open.ts';
import { registerReplay } from './verbs/replay/replay.ts';
import { registerRebuild } from './verbs/rebuild/rebuild.ts';
import { registerResume } from './verbs/request/resume.ts';
import { registerImport } from './verbs/import/import.ts';
import { registerRetention } from './verbs/retention.ts';
import { registerServers } from './verbs/servers.ts';
import { registerServices } from './verbs/service.ts';
import { registerSuspend } from './verbs/request/suspend.ts';
import { registerUp } from './verbs/up/up.ts';
import { registerUpgrade } from './verbs/upgrade/upgrade.ts';
import { registerVerify } from './verbs/verify/verify.ts';
import { registerWhatIf } from './verbs/what-if/what-if.ts';
import { registerWhy } from './verbs/why/why.ts';
import { exitCodeFor } from './failure.ts';

/** Every verb, in the order of `jobledger --help`. */
const VERBS: readonly ((program: Command) => void)[] = [
  registerUp,
  registerServers,
  registerOpen,
  registerGet,
  registerDescribe,
  registerHistory,
  registerWhy,
  registerReplay,
  registerWhatIf,
  registerCron,
  registerVerify,
  registerCheckpoint,
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

/** Runs one verb. Sets the exit status: 0 success, 1 failure, 2 wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('jobledger')
    .description(
      'Runs Kubernetes Jobs with durable workflows and records everything about them in one ledger',
    )
    .showHelpAfterError('(see jobledger --help)')
    .exitOverride();
  for (const register of VERBS) register(program);
  // The reader of the output may close it early, as `head` does.
  process.stdout.on('error', () => undefined);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
}
