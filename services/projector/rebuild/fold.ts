import type { Session } from '../../adapters/postgres/session.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { project } from '../projections/project.ts';
import { eachTable, load, noRows } from '../projections/rows.ts';
import { textOfKey } from '../tables/table.ts';
import { clear, jobColumnsOf, takeOut, writeShadow, type JobKey } from './shadow.ts';

/** So many rows are in memory at most, besides those of the batch at hand: about 100 MB. */
const ROWS_AT_HAND = 150_000;

/** Folds events into rows. When these have become many, they are put away into the tables beside the live ones. */
export interface Fold {
  /** Brings the rows of Jobs that were put away into memory again. */
  prepare(jobs: Iterable<JobKey>): Promise<void>;
  /** Folds events that were prepared. */
  add(events: readonly JobEvent[]): void;
  /** Puts the rows away when they have become many. */
  relieve(): Promise<void> | undefined;
  /** Resolves when the tables hold everything. */
  settle(): Promise<void>;
}

export function createFold(session: Session, rowsAtHand: number = ROWS_AT_HAND): Fold {
  const rows = noRows();
  /** Keys of Jobs whose rows are in the tables. */
  const away = new Set<string>();
  const settle = async (): Promise<void> => {
    for (const job of rows.jobs.rows.keys()) away.add(job);
    await eachTable(rows, async (staged) => {
      const isOfJobs = jobColumnsOf(staged.table) !== null;
      if (!isOfJobs) await clear(session, staged.table);
      const writer = writeShadow(session, staged.table);
      for (const row of staged.rows.values()) await writer.add(row);
      await writer.end();
      staged.changed.clear();
      if (isOfJobs) staged.rows.clear();
    });
  };
  return {
    async prepare(jobs) {
      const wanted = [...jobs].filter((job) => away.delete(textOfKey(job)));
      if (wanted.length === 0) return;
      await eachTable(rows, async (staged) => load(staged, await takeOut(session, staged.table, wanted)));
    },
    add(events) {
      for (const event of events) project(rows, event);
    },
    relieve() {
      const { jobs, pods, creations, decisions, commands, conditions, statuses } = rows;
      const held = [jobs, pods, creations, decisions, commands, conditions, statuses];
      const count = held.reduce((sum, each) => sum + each.rows.size, 0);
      return count > rowsAtHand ? settle() : undefined;
    },
    settle,
  };
}
