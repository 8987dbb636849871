import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readBetween, type Offsets } from '../../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../adapters/kafka/subscribe.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { monthOf } from '../months.ts';
import { eventRow } from '../projections/events.ts';
import { changedRows, eachTable } from '../projections/rows.ts';
import { EVENT_IDS, EVENTS, type EventIdRow } from '../tables/events.ts';
import type { Fold } from './fold.ts';
import type { Table } from '../tables/table.ts';
import { forget, writeShadow } from './shadow.ts';

export interface Source {
  connection: KafkaConnection;
  fold: Fold;
  /** The projector could not use this record either. */
  isSetAside: (record: LedgerRecord) => boolean;
  /** Whether the table of this name is made again. */
  isWanted: (table: string) => boolean;
  /** Months that `events` has a partition for: what was dropped stays so. */
  months: ReadonlySet<string>;
  /** Told after each batch how many records were read in all. */
  onProgress: (records: number) => void;
}

/** Brings the tables beside the live ones from one position of the ledger to a later one. */
export async function addStretch(
  session: Session,
  source: Source,
  offsets: { from: Offsets; to: Offsets },
): Promise<void> {
  const ids = await addEvents(session, source, offsets);
  if (source.isWanted(EVENT_IDS.name)) await addRows(session, EVENT_IDS, ids);
  await eachTable(source.fold.rows, async (staged) => {
    if (!source.isWanted(staged.table.name)) return;
    if (offsets.from.size > 0) await forget(session, staged.table, staged.changed);
    await addRows(session, staged.table, changedRows(staged));
    staged.changed.clear();
  });
}

async function addRows<Row>(session: Session, table: Table<Row>, rows: readonly Row[]): Promise<void> {
  const writer = writeShadow(session, table);
  for (const row of rows) await writer.add(row);
  await writer.end();
}

/** Folds the records; the rows of events go to Postgres at once, as they are never looked at again. */
async function addEvents(
  session: Session,
  { connection, fold, isSetAside, isWanted, months, onProgress }: Source,
  offsets: { from: Offsets; to: Offsets },
): Promise<EventIdRow[]> {
  const ids: EventIdRow[] = [];
  const writer = isWanted(EVENTS.name) ? writeShadow(session, EVENTS) : null;
  await readBetween(connection, connection.topics.ledger, offsets, async (records) => {
    for (const fresh of fold.take(records.filter((record) => !isSetAside(record)))) {
      const row = eventRow(fresh);
      ids.push({ id: row.id, time: row.time });
      if (writer !== null && months.has(monthOf(row.time))) await writer.add(row);
    }
    onProgress(records.length);
  });
  await writer?.end();
  return ids;
}
