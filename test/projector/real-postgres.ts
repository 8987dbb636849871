import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { createConsume } from '../../services/projector/consume.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { startServers, type TestServerOptions } from '../support/shared-servers/start-servers.ts';

export const TOPIC = 'jobledger.ledger';
export const MIGRATIONS = join(process.cwd(), 'services/projector/migrations');
export const TABLES = [
  'clusters',
  'jobs',
  'job_statuses',
  'pods',
  'creations',
  'conditions',
  'api_requests',
  'kubernetes_events',
  'dropped_kubernetes_events',
  'decisions',
  'commands',
  'chains',
  'placements',
  'gaps',
  'applied_prices',
  'cron_jobs',
  'cron_job_versions',
  'cron_job_starts',
  'cron_job_events',
  'event_ids',
  'events',
];

const log = createLog('test');
log.level = 'silent';

/** A database, deleted when closed unless it has a folder of its own. */
export interface RealPostgres {
  database: Database;
  servers: LocalServers;
  stateDir: string;
  close(): Promise<void>;
}

/** `folder`: keeps the data there. */
export async function startPostgres({
  folder,
  ...options
}: Pick<TestServerOptions, 'ownServers' | 'database'> & { folder?: string } = {}): Promise<RealPostgres> {
  const stateDir = folder ?? mkdtempSync(join(tmpdir(), 'jobledger-projector-'));
  const { servers } = await startServers({ stateDir, postgres: true, ...options });
  const database = openDatabase({ DATABASE_URL: servers.addresses.databaseUrl ?? '' }, log);
  return {
    database,
    servers,
    stateDir,
    async close() {
      await database.close();
      await servers.stop();
      if (folder === undefined) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** The schema before the first event. */
export async function emptied(database: Database): Promise<void> {
  await database.run(sql`drop schema if exists jobledger cascade`);
  await migrate(database, MIGRATIONS);
}

/** Events as records of partition 0, from offset 0. */
export function toRecords(events: readonly LedgerEvent[]): LedgerRecord[] {
  return events.map((event, offset) => {
    const { key, value } = encodeEvent(event);
    return { partition: 0, offset: BigInt(offset), key, value: Buffer.from(value) };
  });
}

export interface HandFedProjector {
  /** Default: of partition 0. */
  project: (records: readonly LedgerRecord[], partition?: number) => Promise<void>;
  deadLetters: { key: string; reason: string }[];
  fatal: unknown[];
  /** Where it wants to read again. */
  continuesAt: (bigint | null)[];
}

/** A projector without Kafka: the test passes batches to it. */
export function aProjector(database: Database): HandFedProjector {
  const deadLetters: HandFedProjector['deadLetters'] = [];
  const fatal: unknown[] = [];
  const continuesAt: (bigint | null)[] = [];
  const consume = createConsume({
    ledger: { database, topic: TOPIC },
    setAside: (letters) => {
      for (const { record, reason } of letters) deadLetters.push({ key: record.key, reason });
      return Promise.resolve();
    },
    ensureMonths: createEnsureMonths(database),
    log,
    signal: new AbortController().signal,
    onFatal: (error) => fatal.push(error),
  });
  return {
    deadLetters,
    fatal,
    continuesAt,
    project: (records, partition = 0) =>
      consume.onBatch({
        partition,
        records: [...records],
        end: BigInt(records.length),
        heartbeat: () => Promise.resolve(),
        isStale: () => false,
        continueAt: (offset) => void continuesAt.push(offset),
      }),
  };
}

/** Projects events as the next records of one ledger, in one batch for each call. */
export function aGrowingLedger(database: Database): (events: readonly LedgerEvent[]) => Promise<void> {
  const { project } = aProjector(database);
  let next = 0;
  return async (events) => {
    const records = toRecords(events).map((record, at) => ({ ...record, offset: BigInt(next + at) }));
    next += events.length;
    await project(records);
  };
}

/** Every row of every projection, in an order that depends on content alone. */
export async function rowsIn(database: Database): Promise<Record<string, unknown>> {
  const all = await Promise.all(
    TABLES.map(async (table) => {
      const rows = await database.run<{ row: unknown }>({
        text: `select to_jsonb(t) as row from jobledger.${table} t order by to_jsonb(t)::text`,
        values: [],
      });
      return [table, rows.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(all);
}

export async function rowsAfter(
  database: Database,
  ...batches: LedgerRecord[][]
): Promise<Record<string, unknown>> {
  await emptied(database);
  const { project } = aProjector(database);
  for (const batch of batches) await project(batch);
  return rowsIn(database);
}
