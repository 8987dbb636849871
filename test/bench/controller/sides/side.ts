import type { Figures } from '../report/figures.ts';
import type { MeasuredProcess } from '../meters/processes.ts';

/** A Job controller under measurement, with the servers that run only for it. */
export interface Side {
  readonly name: string;
  /** The user name of its requests to the API server. */
  readonly user: string;
  processes(): MeasuredProcess[];
  /** Counters that only grow, by name. */
  counters(): Promise<Figures>;
  /** Counts of what the Jobs with these UIDs have caused, read after the measurement. */
  readCounts(uids: ReadonlySet<string>): Promise<Figures>;
  /** UIDs of Jobs that ended lately, according to its tables; absent: it has none. */
  endedInTables?(): Promise<ReadonlySet<string>>;
  /** Changes while it works. Undefined: it is known to have work left. */
  progress(): Promise<string | undefined>;
  /** @throws when what it recorded is inconsistent. */
  verify(): Promise<void>;
  /** Rejects when one of its processes is given up; never resolves. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}
