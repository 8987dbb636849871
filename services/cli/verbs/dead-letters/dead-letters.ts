import { InvalidArgumentError, type Command } from 'commander';
import { silentLog } from '../../../adapters/log.ts';
import { createAppender } from '../../../adapters/kafka/append.ts';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { resolveAddresses } from '../../addresses.ts';
import { bringBack, requireWhole, type BringBackOutcome } from './bring-back.ts';
import { lettersIn, type Letter } from './letters.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { counted } from '../../print/counted.ts';
import { table } from '../../print/table.ts';
import { withDatabase } from '../../with-database.ts';

interface DeadLettersOptions extends StateDirOption, OutputOption {
  readonly retry: boolean;
  readonly all: boolean;
  readonly partition?: number;
  readonly offset?: string;
}

export function registerDeadLetters(program: Command): void {
  const command = program
    .command('dead-letters')
    .description('list the records of the ledger that could not be used')
    .option(
      '--retry',
      'append those that this version can use now to the ledger once more: the tables have them then, and their Jobs are told',
      false,
    )
    .option('--partition <number>', 'only the record there', (text) => Number(whole(text)))
    .option('--offset <number>', 'only the record there', whole)
    .option('--all', 'list also those that were brought back', false);
  stateDirOption(outputOption(command, 'print the rows as JSON')).action(run);
}

async function run(options: DeadLettersOptions): Promise<void> {
  requireWhole(options);
  const connection = kafkaOf(options);
  const found = await withDatabase(options, (query) => lettersIn(query, connection.topics.ledger, options));
  const letters = found.filter(
    ({ brought_back_at: back }) => back === null || (options.all && !options.retry),
  );
  if (!options.retry) return show(letters, options);
  const { databaseUrl } = resolveAddresses(options);
  const database = openDatabase({ DATABASE_URL: databaseUrl }, silentLog(), { name: 'jobledger cli' });
  const appender = await createAppender(connection);
  try {
    tell(await bringBack({ database, connection, appender }, letters), options);
  } finally {
    await appender.close();
    await database.close();
  }
}

function show(letters: readonly Letter[], { output }: OutputOption): void {
  if (output === 'json') return writeJson(letters);
  if (letters.length === 0) return write('no record is set aside');
  const rows = letters.map((each) => [
    String(each.partition),
    each.kafka_offset,
    each.key,
    each.found_at,
    each.brought_back_at ?? '',
    each.reason,
  ]);
  write(table(['PARTITION', 'OFFSET', 'KEY', 'SET ASIDE', 'BROUGHT BACK', 'REASON'], rows));
}

/** Exit status 1 while something stays aside. */
function tell(outcomes: readonly BringBackOutcome[], { output }: OutputOption): void {
  const staying = outcomes.filter(({ reason }) => reason !== null);
  if (staying.length > 0) process.exitCode = 1;
  if (output === 'json') return writeJson(outcomes.map(({ letter, reason }) => ({ ...letter, reason })));
  for (const { letter, reason } of staying)
    write(`partition ${letter.partition}, offset ${letter.kafka_offset} stays aside: ${reason}`);
  write(`${counted(outcomes.length - staying.length, 'record')} brought back, ${staying.length} stay aside`);
}

function whole(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('A whole number is wanted.');
  return text;
}
