import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { keyText, type Key } from '../statements.ts';
import { type Table } from '../../read-model/tables/table.ts';
import { projectAll } from './project.ts';
import { visitTables, emptyRows, type Rows, type Staged } from './rows.ts';

/** Reads the rows with these keys; missing rows are left out. */
export type LoadRows = <Row>(table: Table<Row>, keys: readonly Key[]) => Promise<Row[]>;

/**
 * Projects events onto stored rows. A projection shows which rows it needs: each round loads the rows that the previous
 * round lacked, until no row is missing. Two rounds are usual; a row that another row names needs a third round.
 */
export async function projectStored(events: readonly LedgerEvent[], load: LoadRows): Promise<Rows> {
  const rows = emptyRows();
  for (;;) {
    projectAll(rows, events);
    if (Object.values(rows).every(({ missing }) => missing.size === 0)) return rows;
    await visitTables(rows, (staged) => loadMissing(staged, load));
  }
}

async function loadMissing<Row>(
  { table, stored, changed, missing }: Staged<Row>,
  load: LoadRows,
): Promise<void> {
  changed.clear();
  if (missing.size === 0) return;
  for (const key of missing.keys()) stored.set(key, undefined);
  for (const row of await load(table, [...missing.values()])) stored.set(keyText(table, row), row);
}
