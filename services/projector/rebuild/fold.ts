import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { projectAll } from '../projections/project.ts';
import { eachTable, noRows, put } from '../projections/rows.ts';
import { CLUSTERS } from '../tables/clusters.ts';
import { JOBS } from '../tables/jobs.ts';
import { textOfKey } from '../tables/table.ts';
import { shadowOf, takeOut, writeShadow, type Owner } from './shadow.ts';

/** The most rows in memory, besides those of the current batch: about 100 MB. */
const ROWS_AT_HAND = 150_000;

/** Folds events into rows. When the rows become too many, they are moved to the shadow tables. */
export interface Fold {
  /** Loads the rows of these owners back into memory if they were moved to the tables. */
  prepare(owners: Iterable<Owner>): Promise<void>;
  /** Folds events whose owners were prepared. */
  add(events: readonly JobEvent[]): void;
  /** Moves the rows to the tables when they have become too many. */
  relieve(): Promise<void> | undefined;
  /** Moves all rows to the tables. */
  settle(): Promise<void>;
}

/** Continues from the present content of the shadow tables. */
export async function openFold(session: Session, rowsAtHand: number = ROWS_AT_HAND): Promise<Fold> {
  const rows = noRows();
  /** Keys of the clusters and Jobs whose rows are in the tables. */
  const stored = new Set(await storedOwners(session));
  const settle = async (): Promise<void> => {
    for (const { changed: owners } of [rows.clusters, rows.jobs])
      for (const owner of owners.keys()) stored.add(owner);
    await eachTable(rows, async ({ table, changed }) => {
      const writer = writeShadow(session, table);
      for (const row of changed.values()) await writer.add(row);
      await writer.end();
      changed.clear();
    });
  };
  return {
    async prepare(owners) {
      const wanted = [...owners].filter((owner) => stored.delete(textOfKey(owner)));
      if (wanted.length === 0) return;
      await eachTable(rows, async (staged) => put(staged, await takeOut(session.run, staged.table, wanted)));
    },
    add: (events) => projectAll(rows, events),
    relieve() {
      const count = Object.values(rows).reduce((sum, { changed }) => sum + changed.size, 0);
      return count > rowsAtHand ? settle() : undefined;
    },
    settle,
  };
}

async function storedOwners({ run }: Session): Promise<string[]> {
  const clusters = await run<{ name: string }>({
    text: `select name from ${shadowOf(CLUSTERS)}`,
    values: [],
  });
  const jobs = await run<{ cluster: string; uid: string }>({
    text: `select cluster, uid from ${shadowOf(JOBS)}`,
    values: [],
  });
  return [
    ...clusters.map(({ name }) => textOfKey([name])),
    ...jobs.map(({ cluster, uid }) => textOfKey([cluster, uid])),
  ];
}
