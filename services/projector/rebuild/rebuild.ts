/*
 * The path of one record:
 *
 *   Kafka
 *     |    threads.ts: each worker thread (thread.ts) reads some of the partitions
 *   offset-range.ts   decodes the record; skips dead letters (positions.ts) and repeated events (seen-ids.ts)
 *     |
 *     |--- fold.ts    projects the event onto rows, and flushes them when they are too many
 *     |      |
 *   shadow.ts         writes the event, and the flushed rows, to shadow tables by COPY (copy-text.ts)
 *     |
 *   difference.ts     compares shadow and live tables at the same positions, and corrects the live ones
 */
import { availableParallelism } from 'node:os';
import type { PostgresConfig } from '../../adapters/config.ts';
import { InputError, JobledgerError } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readExtents, type Offsets } from '../../adapters/kafka/scan.ts';
import { firstAppliedOffsets, appliedPositions } from '../../read-model/state/positions.ts';
import { requireSameCluster } from '../../read-model/state/same-cluster.ts';
import { requireSchema } from '../../read-model/state/schema.ts';
import { openSession, type Session } from '../../adapters/postgres/session.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { markMembersAgain } from '../mark-members.ts';
import { readEventsFrom, monthStart, listMonths } from '../months.ts';
import { visitTables, emptyRows } from '../projections/rows.ts';
import { CRON_JOB_EVENTS, EVENT_IDS, EVENTS } from '../../read-model/tables/events.ts';
import type { Table } from '../../read-model/tables/table.ts';
import { compareTable, isRepaired, repairTable, type TableComparison } from './difference.ts';
import { checkReach, countOffsets, deadLetterOffsets } from './positions.ts';
import { hasDuplicateIds, createSchema, createShadow, dropSchema, createIdIndex } from './shadow.ts';
import { foldInThreads } from './threads.ts';
import { addOffsetRange, type RebuildSelection } from './offset-range.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { findEndedJobs, removeJobs } from '../horizon/ended-jobs.ts';
import { readHorizon } from '../../read-model/state/horizon.ts';

interface RebuildOptions {
  postgres: PostgresConfig;
  connection: KafkaConnection;
  /** The name of one table; null for all tables. */
  projection: string | null;
  /** True to compare the tables without changing the live tables. */
  isCheck: boolean;
  onProgress: (progress: { records: number; of: number }) => void;
}

export interface Rebuilt {
  /** The number of folded records, up to the positions of the live tables. */
  records: number;
  /** The comparison of each table, before repairs. */
  tables: TableComparison[];
  mended: boolean;
}

/** The number of the advisory lock of rebuilds. The number is arbitrary; no other program uses it. */
const LOCK = 7_213_305_883;

/** The most threads; each may hold 100 MB of rows. */
const MOST_THREADS = 8;

type EachTable = (visit: <Row>(table: Table<Row>) => Promise<void>) => Promise<void>;

/** The dependencies of each step of a rebuild. */
interface Work extends Pick<RebuildOptions, 'postgres' | 'connection'> {
  session: Session;
  /** The positions of the live tables at the start; the threads fold up to these positions. */
  positions: Offsets;
  /** The offsets with which the ledger begins, by partition. */
  begins: Offsets;
  /** Calls `visit` for each selected table. */
  tables: EachTable;
  /** Adds a number of records to the number of folded records. */
  count: (records: number) => void;
}

/** The positions of the shadow tables, and their comparison with the live tables at these positions. */
interface Compared {
  reached: Offsets;
  tables: TableComparison[];
}

/**
 * Rebuilds the tables from the beginning of the ledger into shadow tables, and makes the live tables equal to them in
 * one transaction. Only differing rows are written, so readers are not disturbed (docs/decisions/0022). @throws
 * InputError for an unknown table, a concurrent rebuild, or a ledger from which the tables were not made.
 */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { postgres, connection, projection, isCheck } = options;
  const tables = await chooseTables(projection);
  const session = await openSession(postgres, 'jobledger admin rebuild');
  try {
    await requireSchema(session.run);
    await lockRebuilds(session);
    const { positions, begins } = await readPositions(session, connection);
    const count = progressCounter(options, countOffsets(positions, begins));
    return await rebuildInShadow(
      { postgres, connection, session, positions, begins, tables, count },
      isCheck,
    );
  } finally {
    await session.close();
  }
}

/** Returns a function that visits the selected tables. @throws InputError for an unknown name. */
async function chooseTables(wanted: string | null): Promise<EachTable> {
  const names = await tableNames(visitEveryTable);
  if (wanted !== null && !names.has(wanted)) {
    throw new InputError(`unknown projection "${wanted}"; available: ${[...names].join(', ')}`);
  }
  return (visit) =>
    visitEveryTable((table) => (wanted === null || table.name === wanted ? visit(table) : Promise.resolve()));
}

const visitEveryTable: EachTable = async (visit) => {
  await visit(EVENTS);
  await visit(CRON_JOB_EVENTS);
  await visit(EVENT_IDS);
  await visitTables(emptyRows(), ({ table }) => visit(table));
};

async function tableNames(tables: EachTable): Promise<Set<string>> {
  const names = new Set<string>();
  await tables(({ name }) => Promise.resolve(void names.add(name)));
  return names;
}

function progressCounter({ onProgress }: RebuildOptions, of: number): (records: number) => void {
  let records = 0;
  return (more) => {
    records += more;
    onProgress({ records, of: Math.max(of, records) });
  };
}

async function lockRebuilds({ run }: Session): Promise<void> {
  const [found] = await run<{ locked: boolean }>(sql`select pg_try_advisory_lock(${LOCK}) as locked`);
  if (found?.locked !== true) throw new InputError('another rebuild of this database is running');
}

/** Rebuilds and compares the shadow tables, and repairs the live tables unless `isCheck` is true. */
async function rebuildInShadow(work: Work, isCheck: boolean): Promise<Rebuilt> {
  const { run } = work.session;
  try {
    let compared = await foldAndCompare(work, Math.min(availableParallelism(), MOST_THREADS));
    // Each thread recognises duplicates only in its own partitions. A duplicate in another partition exists only if
    // partitions were added to the topic. In this case, a single thread repeats the fold.
    if (!hasNoDifference(compared) && (await hasDuplicateIds(run))) compared = await foldAndCompare(work, 1);
    if (isCheck || hasNoDifference(compared)) return toResult(work, compared, { mended: false });
    return toResult(work, await repairLiveTables(work, compared), { mended: true });
  } finally {
    // If Postgres does not answer, the next rebuild drops the schema.
    await run(sql`rollback`)
      .then(() => dropSchema(run))
      .catch(() => undefined);
  }
}

function toResult({ begins }: Work, { reached, tables }: Compared, { mended }: { mended: boolean }): Rebuilt {
  return { records: countOffsets(reached, begins), tables, mended };
}

function hasNoDifference({ tables }: Compared): boolean {
  return tables.every(({ differences }) => differences === 0);
}

/** Builds the shadow tables from the beginning of the ledger, and compares them. */
async function foldAndCompare(work: Work, threads: number): Promise<Compared> {
  const { session, postgres, connection, positions, count } = work;
  await createSchema(session.run);
  // Rows of one table depend on other tables, so all tables are created.
  await visitEveryTable((table) => createShadow(session.run, table));
  const selection = await selectWholeLedger(work);
  await foldInThreads({ postgres, kafka: connection.config, selection, to: positions }, threads, count);
  return compareInSnapshot(work);
}

async function readPositions(
  { run }: Session,
  connection: KafkaConnection,
): Promise<Pick<Work, 'positions' | 'begins'>> {
  const topic = connection.topics.ledger;
  await requireSameCluster(run, connection);
  // The positions are read first, because the projector continues, and a position that is read later may be past the
  // ends.
  const positions = await appliedPositions(run, topic);
  const extents = await readExtents(connection, topic);
  const found = { positions, begins: await firstAppliedOffsets(run, topic) };
  checkReach(topic, found, extents);
  return found;
}

async function selectWholeLedger({ session: { run }, connection, tables }: Work): Promise<RebuildSelection> {
  return {
    tables: await tableNames(tables).then(addEventTables),
    deadLetters: await deadLetterOffsets(run, connection.topics.ledger),
    months: await keptMonths(run),
    eventsFrom: await readEventsFrom(run),
  };
}

/** The events tell which Jobs and CronJobs the ids belong to, so that the ids of removed Jobs can be left out. */
function addEventTables(names: Set<string>): Set<string> {
  return names.has(EVENT_IDS.name) ? names.add(EVENTS.name).add(CRON_JOB_EVENTS.name) : names;
}

/**
 * The months whose events are kept, without dropped months, even if another client has created the partition of a
 * dropped month again.
 */
async function keptMonths(run: Session['run']): Promise<Set<string>> {
  const from = await readEventsFrom(run);
  return new Set([...(await listMonths(run))].filter((month) => from === null || month >= monthStart(from)));
}

/** Compares the tables in one snapshot, after the shadow tables have reached the positions of this snapshot. */
async function compareInSnapshot(work: Work): Promise<Compared> {
  const { run } = work.session;
  // One snapshot serves all tables: the live tables match their positions exactly, without locks.
  await run(sql`begin isolation level repeatable read`);
  const reached = await catchUp(work, work.positions);
  await honourHorizon(run);
  const tables = await compareAll(work);
  await run(sql`commit`);
  return { reached, tables };
}

/** Brings the shadow tables to the present positions of the live tables. */
async function catchUp(work: Work, reached: Offsets): Promise<Offsets> {
  const { session, connection, begins, count } = work;
  const to = await appliedPositions(session.run, connection.topics.ledger);
  if (countOffsets(to, begins) === countOffsets(reached, begins)) return reached;
  await createIdIndex(session.run);
  await addOffsetRange({ session, connection }, await selectWholeLedger(work), { from: reached, to }, count);
  return to;
}

async function compareAll({ session: { run }, tables }: Work): Promise<TableComparison[]> {
  const compared: TableComparison[] = [];
  await tables(async (table) => void compared.push(await compareTable(run, table)));
  return compared;
}

/**
 * Brings the shadow tables to the positions of the live tables, blocks the projector during the last step, and repairs
 * the live tables.
 */
async function repairLiveTables(work: Work, before: Compared): Promise<Compared> {
  const { run } = work.session;
  const near = await catchUp(work, before.reached);
  await run(sql`begin`);
  // This lock blocks the projector, whose transactions start with a write to this table, but does not block readers.
  await run(sql`lock table jobledger.positions in share row exclusive mode`);
  const reached = await catchUp(work, near);
  await honourHorizon(run);
  const isAsCompared = countOffsets(reached, work.begins) === countOffsets(before.reached, work.begins);
  const compared = isAsCompared ? before.tables : await compareAll(work);
  await work.tables(async (table) => {
    const found = compared.find((each) => each.table === table.name);
    if (found === undefined || found.differences === 0) return;
    await repairTable(run, table);
    if (!(await isRepaired(run, table, found)))
      throw new JobledgerError(`the table ${table.name} could not be corrected; nothing was changed`);
  });
  await markMembersAgain(run);
  await run(sql`commit`);
  return { reached, tables: compared };
}

/** The number of Jobs that one pass removes; a pass reads each copied table once. */
const BATCH = 100_000;

/** Removes the Jobs that ended before the horizon from the copies, as `keepHorizon` does in the live tables. */
async function honourHorizon(run: Run): Promise<void> {
  const horizon = await readHorizon(run);
  if (horizon === null) return;
  for (;;) {
    const jobs = await findEndedJobs(run, 'jobledger_rebuild', { horizon, limit: BATCH });
    if (jobs.length > 0) await removeJobs(run, 'jobledger_rebuild', jobs);
    if (jobs.length < BATCH) break;
  }
  // A dropped month leaves only ids, which do not name their Jobs, so removed Jobs stay removed.
  await run({
    text: `delete from jobledger_rebuild.event_ids copied using jobledger.retention
      where copied.time < retention.events_from
        and not exists (select from jobledger.event_ids live where live.id = copied.id)`,
    values: [],
  });
}
