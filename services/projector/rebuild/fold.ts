import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { project } from '../projections/project.ts';
import { eachTable, load, noRows } from '../projections/rows.ts';
import { CLUSTERS } from '../tables/clusters.ts';
import { JOBS } from '../tables/jobs.ts';
import { textOfKey } from '../tables/table.ts';
import { shadowOf, takeOut, writeShadow, type Owner } from './shadow.ts';

/** So many rows are in memory at most, besides those of the batch at hand: about 100 MB. */
const ROWS_AT_HAND = 150_000;

/** Folds events into rows. When these have become many, they are put away into the tables beside the live ones. */
export interface Fold {
  /** Brings the rows of owners that were put away into memory again. */
  prepare(owners: Iterable<Owner>): Promise<void>;
  /** Folds events whose owners were prepared. */
  add(events: readonly JobEvent[]): void;
  /** Puts the rows away when they have become many. */
  relieve(): Promise<void> | undefined;
  /** Puts all of them away: the tables hold everything. */
  settle(): Promise<void>;
}

/** Goes on where the tables beside the live ones stand. */
export async function openFold(session: Session, rowsAtHand: number = ROWS_AT_HAND): Promise<Fold> {
  const rows = noRows();
  /** Keys of clusters and Jobs whose rows are in the tables. */
  const away = new Set(await storedOwners(session));
  const settle = async (): Promise<void> => {
    for (const { rows: owners } of [rows.clusters, rows.jobs])
      for (const owner of owners.keys()) away.add(owner);
    await eachTable(rows, async (staged) => {
      const writer = writeShadow(session, staged.table);
      for (const row of staged.rows.values()) await writer.add(row);
      await writer.end();
      staged.changed.clear();
      staged.rows.clear();
    });
  };
  return {
    async prepare(owners) {
      const wanted = [...owners].filter((owner) => away.delete(textOfKey(owner)));
      if (wanted.length === 0) return;
      await eachTable(rows, async (staged) => load(staged, await takeOut(session.run, staged.table, wanted)));
    },
    add(events) {
      for (const event of events) project(rows, event);
    },
    relieve() {
      const count = Object.values(rows).reduce((sum, each) => sum + each.rows.size, 0);
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
