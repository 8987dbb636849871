import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { projectAll } from '../projections/project.ts';
import { visitTables, emptyRows, putRows } from '../projections/rows.ts';
import { CLUSTERS } from '../../read-model/tables/clusters.ts';
import { CRON_JOBS } from '../../read-model/tables/cron-jobs.ts';
import { JOBS } from '../../read-model/tables/jobs.ts';
import { textOfKey } from '../statements.ts';
import { shadowName, removeRows, writeShadow, type Owner } from './shadow.ts';

/** The most rows in memory in addition to the rows of the current batch; these rows take about 100 MB. */
const MAX_ROWS = 150_000;

/** Folds events into rows, and flushes the rows to the shadow tables when there are too many rows. */
export interface Fold {
  /** Reads the rows of these owners back into memory if they were flushed. */
  load(owners: Iterable<Owner>): Promise<void>;
  /** Folds events whose owners were loaded. */
  add(events: readonly LedgerEvent[]): void;
  /** Flushes the rows when there are too many rows. */
  flushIfLarge(): Promise<void> | undefined;
  /** Writes all rows to the shadow tables, and forgets them. */
  flush(): Promise<void>;
}

/** Opens a fold that continues from the present content of the shadow tables. */
export async function openFold(session: Session, maxRows: number = MAX_ROWS): Promise<Fold> {
  const rows = emptyRows();
  /** The keys of the clusters, Jobs and CronJobs whose rows were flushed. */
  const flushed = new Set(await storedOwners(session));
  const flush = async (): Promise<void> => {
    for (const { changed: owners } of [rows.clusters, rows.jobs, rows.cronJobs])
      for (const owner of owners.keys()) flushed.add(owner);
    await visitTables(rows, async ({ table, changed }) => {
      const writer = writeShadow(session, table);
      for (const row of changed.values()) await writer.add(row);
      await writer.end();
      changed.clear();
    });
  };
  return {
    async load(owners) {
      const wanted = [...owners].filter((owner) => flushed.delete(textOfKey(owner)));
      if (wanted.length === 0) return;
      await visitTables(rows, async (staged) =>
        putRows(staged, await removeRows(session.run, staged.table, wanted)),
      );
    },
    add: (events) => projectAll(rows, events),
    flushIfLarge() {
      const count = Object.values(rows).reduce((sum, { changed }) => sum + changed.size, 0);
      return count > maxRows ? flush() : undefined;
    },
    flush,
  };
}

async function storedOwners({ run }: Session): Promise<string[]> {
  const clusters = await run<{ name: string }>({
    text: `select name from ${shadowName(CLUSTERS)}`,
    values: [],
  });
  const jobs = await run<{ cluster: string; uid: string }>({
    text: `select cluster, uid from ${shadowName(JOBS)} union all select cluster, uid from ${shadowName(CRON_JOBS)}`,
    values: [],
  });
  return [
    ...clusters.map(({ name }) => textOfKey([name])),
    ...jobs.map(({ cluster, uid }) => textOfKey([cluster, uid])),
  ];
}
