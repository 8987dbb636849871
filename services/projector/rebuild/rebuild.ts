import type { PostgresConfig } from '../../adapters/config.ts';
import { InputError, JobledgerError } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { extentsOf, type Offsets } from '../../adapters/kafka/scan.ts';
import { openSession, type Session } from '../../adapters/postgres/session.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { monthsIn } from '../months.ts';
import { eachTable, noRows } from '../projections/rows.ts';
import { EVENT_IDS, EVENTS } from '../tables/events.ts';
import type { Table } from '../tables/table.ts';
import { compare, isMended, mend, type Comparison } from './difference.ts';
import { createFold } from './fold.ts';
import { createSeenIds } from './seen-ids.ts';
import { checkReach, countOf, positionsOf, setAsideIn } from './positions.ts';
import { createShadow } from './shadow.ts';
import { addStretch, type Source } from './stretch.ts';

export interface RebuildOptions {
  postgres: PostgresConfig;
  connection: KafkaConnection;
  /** Name of one table; null: all of them. */
  projection: string | null;
  /** Compare only: the live tables stay as they are. */
  isCheck: boolean;
  onProgress: (progress: { records: number; of: number }) => void;
}

export interface Rebuilt {
  /** Records that were folded, up to the positions of the live tables. */
  records: number;
  /** Of each table, at the same positions; before it was mended. */
  tables: Comparison[];
  mended: boolean;
}

/** Any number that no other program uses: one rebuild at a time. */
const LOCK = 7_213_305_883;

type EachTable = (visit: <Row>(table: Table<Row>) => Promise<void>) => Promise<void>;

/**
 * Makes the tables again from position 0 of the ledger, beside the live ones, and makes these what the ledger says, in
 * one transaction. Only rows that differ are written, so whoever reads is not disturbed (docs/decisions/0022).
 * @throws InputError for an unknown table, another rebuild that runs, or a ledger that is not the tables' own.
 */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const tables = await tablesOf(options.projection);
  const session = await openSession(options.postgres, 'jobledger rebuild');
  try {
    await lock(session);
    // Rows of one table are made of those of others: there are all of them.
    const all = await tablesOf(null);
    await all((table) => createShadow(session, table));
    return await rebuildIn(session, options, tables);
  } finally {
    await session.close();
  }
}

/** Calls for each table that is wanted. */
async function tablesOf(wanted: string | null): Promise<EachTable> {
  const names: string[] = [];
  const all: EachTable = async (visit) => {
    await visit(EVENTS);
    await visit(EVENT_IDS);
    await eachTable(noRows(), ({ table }) => visit(table));
  };
  await all(({ name }) => Promise.resolve(void names.push(name)));
  if (wanted !== null && !names.includes(wanted)) {
    throw new InputError(`there is no projection "${wanted}"; there are ${names.join(', ')}`);
  }
  return (visit) =>
    all((table) => (wanted === null || table.name === wanted ? visit(table) : Promise.resolve()));
}

async function lock({ run }: Session): Promise<void> {
  const [found] = await run<{ locked: boolean }>(sql`select pg_try_advisory_lock(${LOCK}) as locked`);
  if (found?.locked !== true) throw new InputError('another rebuild of this database is running');
}

async function rebuildIn(session: Session, options: RebuildOptions, tables: EachTable): Promise<Rebuilt> {
  const { run } = session;
  const topic = options.connection.topics.ledger;
  const extents = await extentsOf(options.connection, topic);
  // One snapshot for all of it: the live tables at exactly these positions, without any lock.
  await run(sql`begin isolation level repeatable read`);
  const positions = await positionsOf(run, topic);
  checkReach(topic, positions, extents);
  const source = await sourceOf(session, options, tables, countOf(positions));
  await addStretch(session, source, { from: new Map(), to: positions });
  const compared = await compareAll(session, tables);
  await run(sql`commit`);
  const isSame = compared.every(({ differences }) => differences === 0);
  if (isSame || options.isCheck) return { records: countOf(positions), tables: compared, mended: false };
  return swap(session, options, tables, { source, positions, compared });
}

async function sourceOf(
  session: Session,
  { connection, onProgress }: RebuildOptions,
  tables: EachTable,
  of: number,
): Promise<Source> {
  const { run } = session;
  const wanted = new Set<string>();
  await tables(({ name }) => Promise.resolve(void wanted.add(name)));
  let records = 0;
  return {
    connection,
    fold: createFold(session),
    seen: createSeenIds(),
    isSetAside: await setAsideIn(run, connection.topics.ledger),
    isWanted: (table) => wanted.has(table),
    months: await monthsIn(run),
    onProgress: (more) => {
      records += more;
      onProgress({ records, of: Math.max(of, records) });
    },
  };
}

async function compareAll({ run }: Session, tables: EachTable): Promise<Comparison[]> {
  const compared: Comparison[] = [];
  await tables(async (table) => void compared.push(await compare(run, table)));
  return compared;
}

/** Follows the live tables as far as they have got, stops their projector for the rest of the way, and mends them. */
async function swap(
  session: Session,
  { connection }: RebuildOptions,
  tables: EachTable,
  { source, positions, compared: before }: { source: Source; positions: Offsets; compared: Comparison[] },
): Promise<Rebuilt> {
  const { run } = session;
  const topic = connection.topics.ledger;
  const near = await positionsOf(run, topic);
  const isSetAsideByNow = await setAsideIn(run, topic);
  await addStretch(session, { ...source, isSetAside: isSetAsideByNow }, { from: positions, to: near });
  await run(sql`begin`);
  // The projector's transactions begin by writing there; readers do not notice.
  await run(sql`lock table jobledger.positions in share row exclusive mode`);
  const last = await positionsOf(run, topic);
  const isSetAside = await setAsideIn(run, topic);
  await addStretch(session, { ...source, isSetAside }, { from: near, to: last });
  const isAsCompared = countOf(last) === countOf(positions);
  const compared = isAsCompared ? before : await compareAll(session, tables);
  await tables(async (table) => {
    const found = compared.find((each) => each.table === table.name);
    if (found === undefined || found.differences === 0) return;
    await mend(run, table);
    if (!(await isMended(run, table, found)))
      throw new JobledgerError(`the table ${table.name} could not be mended; nothing was changed`);
  });
  await run(sql`commit`);
  return { records: countOf(last), tables: compared, mended: true };
}
