import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase } from '../../services/adapters/postgres/database.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../services/projector/migrations.ts';
import { baselineFile, recordsOf } from '../baseline/read-baseline.ts';
import { LANDED_VERSIONS } from '../support/landed-versions.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { differencesOf, jobledger, rebuildTables } from '../support/rebuild.ts';

interface Tables {
  partitions: { name: string; bounds: string }[];
  /** Rows as JSON, by table. */
  tables: Record<string, string[]>;
}

interface Place {
  id: string;
  kafka_partition: number;
  kafka_offset: number;
}

let ledger: ALedger;

/** The schema as that version made it, and its rows, which name the topic of this ledger. */
async function restoreTables({ partitions, tables }: Tables, lastMigration: string): Promise<void> {
  const folder = mkdtempSync(join(ledger.stateDir, 'migrations-'));
  for (const name of readdirSync(MIGRATIONS_FOLDER).filter((each) => each <= lastMigration))
    cpSync(join(MIGRATIONS_FOLDER, name), join(folder, name));
  const database = openDatabase(ledger.environment, silentLog());
  await migrate(database, folder);
  await database.close();
  for (const { name, bounds } of partitions)
    await ledger.client.query(`create table jobledger.${name} partition of jobledger.events ${bounds}`);
  for (const [table, rows] of Object.entries(tables))
    if (table !== 'migrations') {
      // A migration may have filled it.
      await ledger.client.query(`delete from jobledger.${table}`);
      await ledger.client.query(
        `insert into jobledger.${table} select * from jsonb_populate_recordset(null::jobledger.${table}, $1::jsonb)`,
        [`[${rows.join(',').replaceAll('"jobledger.ledger"', JSON.stringify(ledger.kafka.topics.ledger))}]`],
      );
    }
}

/** Each record at its original offset. */
async function restoreLedger({ tables }: Tables, version: string): Promise<void> {
  const places = new Map(
    (tables['events'] ?? []).map((row) => JSON.parse(row) as Place).map((row) => [row.id, row]),
  );
  const messages = recordsOf(version)
    .map((value) => ({
      value,
      event: JSON.parse(value) as { id: string; data: { cluster: string; jobUid?: string } },
    }))
    .map(({ value, event }) => {
      const { kafka_partition: partition = -1, kafka_offset: offset = -1 } = places.get(event.id) ?? {};
      const { cluster, jobUid } = event.data;
      return { partition, offset, value, key: jobUid === undefined ? cluster : `${cluster}/${jobUid}` };
    })
    .toSorted((a, b) => a.offset - b.offset);
  await ledger.append(messages.map(({ partition, key, value }) => ({ partition, key, value })));
  // With these offsets, it is as if it were the Kafka cluster whose id the tables have.
  const { positions = [] } = tables;
  if (positions.some((row) => row.includes('"kafka_cluster"')))
    await ledger.client.query('update jobledger.positions set kafka_cluster = null');
}

describe.each(LANDED_VERSIONS)(
  'the ledger and tables written by version $commit',
  ({ commit, core, lastMigration }) => {
    const stored = JSON.parse(baselineFile(commit, 'tables.json.gz').toString()) as Tables;

    beforeAll(async () => {
      ledger = await startLedger({ database: 'empty' });
      await restoreTables(stored, lastMigration);
      await restoreLedger(stored, commit);
    }, 120_000);
    afterAll(() => ledger?.stop(), 60_000);

    it('are migrated by additions', async () => {
      const before = await ledger.client.query('select count(*) from jobledger.pods');
      expect(await jobledger(ledger.environment, 'migrate')).toMatchObject({ exitCode: 0 });
      const { rows } = await ledger.client.query<{ name: string }>(
        'select name from jobledger.migrations order by name',
      );
      expect(rows.map(({ name }) => name)).toEqual(readdirSync(MIGRATIONS_FOLDER).toSorted());
      expect((await ledger.client.query('select count(*) from jobledger.pods')).rows).toEqual(before.rows);
    }, 60_000);

    it('are rebuilt without a difference', async () => {
      const rebuilt = await rebuildTables(ledger.environment, '--check');
      expect(differencesOf(rebuilt)).toStrictEqual([]);
      expect(rebuilt.exitCode).toBe(0);
    }, 60_000);

    it("are verified by that version's core", async () => {
      const { exitCode, stdout } = await jobledger(ledger.environment, 'verify', '--all', '-o', 'json');
      const decisions = stored.tables['decisions']?.length;
      expect(JSON.parse(stdout)).toMatchObject({ decisions, unchecked: 0, unreadable: 0, findings: [] });
      expect(exitCode).toBe(0);
      const current = await jobledger(
        ledger.environment,
        'verify',
        '--all',
        '--core',
        'current',
        '-o',
        'json',
      );
      const { findings } = JSON.parse(current.stdout) as {
        findings: { type: string; kind: string }[];
      };
      // Commands have a basis from core 6 on. `kind` has the names of the version before.
      expect(new Set(findings.map(({ type, kind }) => `${type} ${kind}`))).toEqual(
        new Set(Number(core) >= 6 ? [] : ['different otherwise']),
      );
    }, 60_000);

    it('have feature level 1', async () => {
      const { stdout } = await jobledger(ledger.environment, 'upgrade');
      expect(stdout).toMatch(/^Feature level: +1$/m);
    }, 60_000);
  },
);
