import type { Command } from 'commander';
import { kafkaEnvironment, readConfig } from '../../adapters/config.ts';
import { connectKafka } from '../../adapters/kafka/connection.ts';
import { createLog } from '../../adapters/log.ts';
import { rebuild } from '../../projector/rebuild/rebuild.ts';
import { resolveAddresses } from '../addresses.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../output.ts';
import { progressLine } from '../print/progress-line.ts';
import { rebuiltText } from '../print/rebuilt.ts';
import { explained } from '../with-database.ts';

interface RebuildVerbOptions extends StateDirOption, OutputOption {
  readonly projection?: string;
  readonly check: boolean;
}

export function registerRebuild(program: Command): void {
  const command = program
    .command('rebuild')
    .description('make the tables again from the beginning of the ledger, compare, and mend what differs')
    .option('--projection <table>', 'only this table (default: every one)')
    .option('--check', 'compare only; exit status 1 when something differs', false);
  stateDirOption(outputOption(command, 'print what was found as JSON')).action(run);
}

async function run(options: RebuildVerbOptions): Promise<void> {
  const { kafkaBrokers, databaseUrl } = resolveAddresses(options);
  const log = createLog('cli');
  log.level = 'silent';
  const kafka = readConfig(kafkaEnvironment, { ...process.env, KAFKA_BROKERS: kafkaBrokers });
  const begin = performance.now();
  const progress = progressLine(process.stderr, 'records folded');
  try {
    const rebuilt = await rebuild({
      postgres: { DATABASE_URL: databaseUrl },
      connection: connectKafka(kafka, log),
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
    throw explained(error);
  } finally {
    progress.end();
  }
}
