import type { Command } from 'commander';
import { rebuild } from '../../../services/projector/rebuild/rebuild.ts';
import { resolveAddresses } from '../../addresses.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { progressLine } from '../../print/progress-line.ts';
import { rebuiltText } from './rebuilt.ts';
import { withAdvice } from '../../with-database.ts';

interface RebuildVerbOptions extends StateDirOption, OutputOption {
  readonly projection?: string;
  readonly check: boolean;
}

/** Adds the verb `rebuild`. */
export function registerRebuild(program: Command): void {
  const command = program
    .command('rebuild')
    .description(
      'rebuild the tables from the beginning of the ledger, compare them with the present ones, and correct differences',
    )
    .option('--projection <table>', 'rebuild only this table (default: all tables)')
    .option('--check', 'only compare; exit with status 1 if something differs', false);
  stateDirOption(outputOption(command, 'print the result as JSON')).action(run);
}

/** Rebuilds the tables, and prints the differences. */
async function run(options: RebuildVerbOptions): Promise<void> {
  const connection = await openLedger(options);
  const { postgres } = resolveAddresses(options);
  const begin = performance.now();
  const progress = progressLine(process.stderr, 'records folded');
  try {
    const rebuilt = await rebuild({
      postgres,
      connection,
      projection: options.projection ?? null,
      isCheck: options.check,
      onProgress: ({ records, of }) => progress.show(records, of),
    });
    progress.end();
    const seconds = (performance.now() - begin) / 1000;
    if (options.output === 'json') writeJson({ ...rebuilt, seconds });
    else write(rebuiltText(rebuilt, seconds));
    const isDifferent = rebuilt.tables.some(({ differences }) => differences > 0);
    if (options.check && isDifferent) process.exitCode = 1;
  } catch (error) {
    throw withAdvice(error);
  } finally {
    progress.end();
  }
}
