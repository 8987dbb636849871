import type { Command } from 'commander';
import { InputError } from '../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { RefusedStatementError } from '../../services/adapters/postgres/failures.ts';
import { recordHorizon } from '../../services/installation/horizon.ts';
import { removeEndedJobs, storeHorizon } from '../../services/projector/horizon/remove-ended.ts';
import { dropMonthsBefore, monthStart } from '../../services/projector/months.ts';
import { requireSchema } from '../../services/read-model/state/schema.ts';
import { instantArgument } from '../instant-option.ts';
import { openLedger } from '../ledger/read-ledger.ts';
import { countText } from '../print/counted.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { write } from '../output.ts';
import { withOpenDatabase } from '../with-database.ts';

interface RetentionOptions extends StateDirOption {
  readonly before?: string;
  readonly endedBefore?: number;
}

/** SQLSTATE of a lock timeout. */
const LOCKED = '55P03';

/** An ended Job may still get events for this time, in milliseconds. */
const YOUNGEST_MS = 3_600_000;

/** Adds the verb `retention`. */
export function registerRetention(program: Command): void {
  const command = program
    .command('retention')
    .description(
      'remove old data from Postgres: whole months of events, or everything about ended Jobs; Kafka keeps the ledger',
    )
    .option('--before <month>', 'drop the events of the months before this one, such as 2026-08')
    .option(
      '--ended-before <time>',
      'remove everything about ended Jobs whose objects were deleted from their cluster before this instant, such as 2026-08-01T00:00:00Z, and set the horizon: no rebuild or import brings them back',
      instantArgument('--ended-before'),
    );
  stateDirOption(command).action(removeOldData);
}

/** Removes the data that the options name. */
async function removeOldData(options: RetentionOptions): Promise<void> {
  const { before, endedBefore } = options;
  if (before === undefined && endedBefore === undefined)
    throw new InputError('specify --before <month>, --ended-before <time> or both');
  const month = before === undefined ? null : firstDay(before);
  if (endedBefore !== undefined) requireOld(endedBefore);
  await withOpenDatabase(options, async (database) => {
    await requireSchema(database.run);
    // The Jobs are removed before the months, because only the events of a month show which Job an id belongs to.
    if (endedBefore !== undefined) write(await setHorizon(database, await openLedger(options), endedBefore));
    if (month !== null) write(await dropMonths(database, month));
  });
}

/** Records the horizon, and removes the Jobs before it. Returns the printed text. */
async function setHorizon(
  database: Database,
  connection: KafkaConnection,
  endedBefore: number,
): Promise<string> {
  const horizon = await recordHorizon(connection, new Date(endedBefore).toISOString());
  await storeHorizon(database, horizon);
  return `removed ${countText(await removeEndedJobs(database), 'Job')}; the horizon is ${horizon}`;
}

/** Drops the events of the months before a month. Returns the printed text. */
async function dropMonths(database: Database, month: string): Promise<string> {
  try {
    const dropped = await dropMonthsBefore(database, month);
    const months = dropped.map((each) => each.slice(0, 'YYYY-MM'.length));
    if (months.length > 0) return `dropped: ${months.join(', ')}`;
    return `no events before ${month.slice(0, 'YYYY-MM'.length)}`;
  } catch (error) {
    if (error instanceof RefusedStatementError && error.code === LOCKED)
      throw new InputError(
        'nothing was dropped, because a long query on the events holds a lock; try again later',
      );
    throw error;
  }
}

/** Requires an instant that is at least an hour ago. @throws InputError. */
function requireOld(endedBefore: number): void {
  if (endedBefore <= Date.now() - YOUNGEST_MS) return;
  throw new InputError(
    `--ended-before ${new Date(endedBefore).toISOString()}: give an instant at least an hour ago, because a Job may have later events for up to an hour after its end`,
  );
}

/** The first day of a month in the form `2026-08`, at most the current month. @throws InputError. */
function firstDay(text: string): string {
  const first = `${text}-01`;
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InputError(`--before ${text}: expected a month such as 2026-08`);
  if (first > monthStart(new Date().toISOString()))
    throw new InputError(`--before ${text}: the current month cannot be dropped before it ends`);
  return first;
}
