import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { aJob, answered, createPods, decided, jobObserved, START } from '../projector/builders.ts';
import { startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { countMissedStarts } from '../../services/projector/missed-starts/count.ts';
import { lateAndMissedStarts } from '../support/cron-job-starts.ts';
import { grafanaStatement, type Dashboard } from '../support/grafana.ts';

jest.setTimeout(120_000);

const UNTIL = Date.parse('2026-11-22T00:00:00Z');
const LEDGER = { events: 8000, until: UNTIL, days: 2, variants: 3, seed: 24 };
const PERIOD = { from: new Date(START), to: new Date(UNTIL), intervalSeconds: 3600 };

/** The generated ledger lacks a command that failed and a Job that waits, so these events add them. */
const REFUSED: JobEvent[] = [
  jobObserved(1, aJob({ version: 5 })),
  decided(2, 1, {
    commands: [createPods('pi-a')],
    waiting: { rule: 'J-5.44', message: 'no pod before a delay: 1 creation failed' },
  }),
  answered(3, 'decision-1', 0, {
    kind: 'CreatePods',
    at: START + 3000,
    generation: 1,
    pods: [
      {
        ordinal: 0,
        name: 'pi-a',
        result: 'failed',
        error: { status: 403, reason: 'Forbidden', message: 'exceeded quota: pods' },
      },
    ],
  }),
];

const FOLDER = 'infra/deploy/grafana/dashboards';
const dashboards = readdirSync(FOLDER)
  .map((file) => JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Dashboard)
  .filter(({ panels }) => panels.some(({ targets }) => targets.some(({ rawSql }) => rawSql !== undefined)));

let postgres: RealPostgres;
let pool: Pool;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = postgres.servers.addresses.databaseUrl ?? '';
  const log = createLog('test');
  const ledger = [
    ...(await generateLedger(LEDGER)),
    ...[...REFUSED, ...lateAndMissedStarts(UNTIL)].map(encodeEvent),
  ];
  await fillPostgres({ DATABASE_URL: url }, ledger, { log, report: () => undefined });
  await countMissedStarts(postgres.database, { cluster: 'east', until: UNTIL });
  // Grafana also connects as a member of the read-only role.
  pool = new Pool({ connectionString: url, options: '-c role=jobledger_reader -c timezone=UTC' });
});
afterAll(async () => {
  await pool?.end();
  await postgres?.close();
});

type Values = Record<string, string | string[]>;
type Row = Record<string, unknown>;

/** A reader chooses everything where several values may be chosen, and otherwise a Job with data for each panel. */
async function chosen({ templating }: Dashboard): Promise<Values> {
  const { rows } = await pool.query<Record<string, string>>(
    `select j.cluster, j.namespace, j.name as job, j.uid
     from jobledger.jobs j
     join jobledger.gaps g
       on g.cluster = j.cluster and j.first_seen_at <= g.until and coalesce(j.deleted_at, 'infinity') >= g.since
     where j.command_count > 0 and j.attempt_count > 0 and j.finished_at is not null
     limit 1`,
  );
  const values: Values = {};
  for (const { name, query, multi } of templating.list.filter(({ type }) => type === 'query')) {
    const { rows: options } = await pool.query<Row>(grafanaStatement(query, PERIOD, values));
    const texts = options.map((option) => String(Object.values(option)[0]));
    const one = rows[0]?.[name] ?? '';
    expect([name, texts]).toEqual([name, expect.arrayContaining(multi ? [expect.any(String)] : [one])]);
    values[name] = multi ? texts : one;
  }
  return values;
}

const asked = dashboards.flatMap((dashboard) =>
  dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => ({ dashboard, name: `${dashboard.uid}: ${panel.title}`, panel, target })),
  ),
);

describe('each SQL panel of the dashboards', () => {
  it.each(asked)('returns rows from a database with Jobs: $name', async ({ dashboard, target }) => {
    const statement = grafanaStatement(target.rawSql ?? '', PERIOD, await chosen(dashboard));
    const { rows, fields } = await pool.query<Row>(statement);
    expect(rows.length).toBeGreaterThan(0);
    if (target.format !== 'time_series') return;
    // For a panel over time, Grafana requires ascending instants, and at least one figure per line.
    const times = rows.map(({ time }) => (time instanceof Date ? time.getTime() : Number(time)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(fields.length).toBeGreaterThan(1);
  });

  it.each(asked.filter(({ panel }) => panel.fieldConfig.overrides.length > 0))(
    'returns the columns that its links name: $name',
    async ({ dashboard, panel, target }) => {
      const { fields } = await pool.query<Row>(
        grafanaStatement(target.rawSql ?? '', PERIOD, await chosen(dashboard)),
      );
      const columns = fields.map(({ name }) => name);
      for (const { matcher, properties } of panel.fieldConfig.overrides) {
        expect(columns).toContain(matcher.options);
        const urls = properties.flatMap(({ value }) => value.map(({ url }) => url)).join(' ');
        const named = [...urls.matchAll(/__data\.fields\.(\w+)/g)].map(([, name]) => name);
        expect(columns).toEqual(expect.arrayContaining(named));
      }
    },
  );
});
