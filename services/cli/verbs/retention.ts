import type { Command } from 'commander';
import { InputError } from '../../adapters/errors.ts';
import { silentLog } from '../../adapters/log.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import { dropMonthsBefore, monthOf } from '../../projector/months.ts';
import { resolveAddresses } from '../addresses.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { write } from '../output.ts';
import { explained } from '../with-database.ts';

interface RetentionOptions extends StateDirOption {
  readonly before: string;
}

/** SQLSTATE of a lock timeout. */
const LOCKED = '55P03';

export function registerRetention(program: Command): void {
  const command = program
    .command('retention')
    .description('drop whole months of events from Postgres; Kafka and all other tables are not changed')
    .requiredOption('--before <month>', 'drop the months before this one, such as 2026-08');
  stateDirOption(command).action(retain);
}

async function retain(options: RetentionOptions): Promise<void> {
  const before = firstDayOf(options.before);
  const { databaseUrl } = resolveAddresses(options);
  const database = openDatabase({ DATABASE_URL: databaseUrl }, silentLog(), {
    connections: 1,
    name: 'jobledger cli',
  });
  try {
    const dropped = await dropMonthsBefore(database, before);
    const months = dropped.map((month) => month.slice(0, 'YYYY-MM'.length));
    write(months.length === 0 ? `no events before ${options.before}` : `dropped: ${months.join(', ')}`);
  } catch (error) {
    if (error instanceof RefusedStatementError && error.code === LOCKED)
      throw new InputError('a long query on the events holds a lock; nothing was dropped, try again later');
    throw explained(error);
  } finally {
    await database.close();
  }
}

function firstDayOf(text: string): string {
  const first = `${text}-01`;
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InputError(`--before ${text}: expected a month such as 2026-08`);
  if (first > monthOf(new Date().toISOString()))
    throw new InputError(`--before ${text}: the current month cannot be dropped before it ends`);
  return first;
}
