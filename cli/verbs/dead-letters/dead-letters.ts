import { printableLine } from '../../../services/adapters/printable.ts';
import { InvalidArgumentError, type Command } from 'commander';
import { silentLog } from '../../../services/adapters/process/log.ts';
import { createAppender } from '../../../services/adapters/kafka/append.ts';
import { openDatabase } from '../../../services/adapters/postgres/database.ts';
import { resolveAddresses } from '../../addresses.ts';
import { retryDeadLetters, requireCompletePosition, type RetryOutcome } from './retry.ts';
import { readDeadLetters, type DeadLetterEntry } from './read-dead-letters.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { countText } from '../../print/counted.ts';
import { table } from '../../print/table.ts';
import { withDatabase } from '../../with-database.ts';

/** Kafka numbers partitions in 32 bits and offsets in 64. */
const [MAX_PARTITION, MAX_OFFSET] = [2n ** 31n - 1n, 2n ** 63n - 1n];

interface DeadLettersOptions extends StateDirOption, OutputOption {
  readonly retry: boolean;
  readonly all: boolean;
  readonly partition?: number;
  readonly offset?: string;
}

/** Adds the verb `dead-letters`. */
export function registerDeadLetters(program: Command): void {
  const command = program
    .command('dead-letters')
    .description(
      'list the objects with records of the ledger that could not be used, and the runs that cannot decide; with -o json, list each record',
    )
    .option(
      '--retry',
      'append to the ledger again those records that this version can use, so that the tables and the workflows of the Jobs receive them; and remove from the list the runs that cannot decide',
      false,
    )
    .option('--partition <number>', 'select the record in this partition; needs --offset', (text) =>
      Number(requireWholeNumber(text, MAX_PARTITION)),
    )
    .option('--offset <number>', 'select the record at this offset; needs --partition', (text) =>
      requireWholeNumber(text, MAX_OFFSET),
    )
    .option('--all', 'also list records that were appended again', false);
  stateDirOption(outputOption(command, 'print the rows as JSON')).action(run);
}

/** Lists the dead letters, or appends them again. */
async function run(options: DeadLettersOptions): Promise<void> {
  requireCompletePosition(options);
  const connection = await openLedger(options);
  const found = await withDatabase(options, (query) => readDeadLetters(query, connection, options));
  const letters = found.filter(({ retried_at: back }) => back === null || (options.all && !options.retry));
  if (!options.retry) return printDeadLetters(letters, options);
  const { postgres } = resolveAddresses(options);
  const database = openDatabase(postgres, silentLog(), { name: 'jobledger cli' });
  const appender = await createAppender(connection);
  try {
    printOutcomes(await retryDeadLetters({ database, connection, appender }, letters), options);
  } finally {
    await appender.close();
    await database.close();
  }
}

/** Prints the dead letters: as a table the first one of each object, as JSON all of them. */
function printDeadLetters(letters: readonly DeadLetterEntry[], { output }: OutputOption): void {
  if (output === 'json') return writeJson(letters);
  if (letters.length === 0) return write('no dead letters');
  const rows = byObject(letters).map(({ letter: each, records }) => [
    String(each.partition ?? ''),
    each.kafka_offset ?? '',
    each.key,
    each.found_by,
    each.found_at,
    each.retried_at ?? '',
    String(records),
    each.reason,
  ]);
  const columns = ['PARTITION', 'OFFSET', 'KEY', 'FOUND BY', 'FOUND', 'APPENDED AGAIN', 'RECORDS', 'REASON'];
  write(table(columns, rows));
}

/** The first dead letter of each object, with the number of its dead letters, so that thousands of one object do not hide the others. */
export function byObject(
  letters: readonly DeadLetterEntry[],
): { letter: DeadLetterEntry; records: number }[] {
  const objects = new Map<string, { letter: DeadLetterEntry; records: number }>();
  for (const letter of letters) {
    const name = JSON.stringify([letter.key, letter.found_by, letter.retried_at !== null]);
    const known = objects.get(name);
    if (known === undefined) objects.set(name, { letter, records: 1 });
    else known.records += 1;
  }
  return [...objects.values()];
}

/** Sets exit status 1 while any record could not be appended. */
function printOutcomes(outcomes: readonly RetryOutcome[], { output }: OutputOption): void {
  const remaining = outcomes.filter(({ reason }) => reason !== null);
  const runs = outcomes.filter(({ letter }) => letter.partition === null);
  if (remaining.length > 0) process.exitCode = 1;
  if (output === 'json') return writeJson(outcomes.map(({ letter, reason }) => ({ ...letter, reason })));
  for (const { letter, reason } of remaining)
    write(
      printableLine(
        `partition ${letter.partition}, offset ${letter.kafka_offset} remains a dead letter: ${reason}`,
      ),
    );
  for (const { letter } of runs)
    write(
      printableLine(
        `${letter.key} is a run without a record to append: the run was removed from the list, and a version that can decide about the object continues it`,
      ),
    );
  const appended = outcomes.length - remaining.length - runs.length;
  write(`${countText(appended, 'record')} appended again, ${remaining.length} not`);
}

/** Returns the text unchanged. @throws InvalidArgumentError unless the text is a whole number up to `most`. */
function requireWholeNumber(text: string, most: bigint): string {
  if (!/^\d+$/.test(text) || BigInt(text) > most)
    throw new InvalidArgumentError(`expected a whole number from 0 to ${most}`);
  return text;
}
