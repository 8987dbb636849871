import { openSession } from '../../services/adapters/postgres/session.ts';
import { visitTables, emptyRows } from '../../services/projector/projections/rows.ts';
import { decodeEvent } from '../../services/adapters/events/event-codec.ts';
import { openFold } from '../../services/projector/rebuild/fold.ts';
import {
  createSchema,
  createShadow,
  dropSchema,
  shadowName,
} from '../../services/projector/rebuild/shadow.ts';
import { eventOwner } from '../../services/projector/rebuild/offset-range.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { anAuditedRequest } from '../history/an-audited-request.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream } from '../projector/placed-job-stream.ts';
import { aNodeLife } from '../projector/node-events.ts';
import { pricesApplied } from '../projector/price-lists.ts';
import { aWaitingJob } from '../projector/waiting-job.ts';
import { emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

const BATCH = 100;

let events: LedgerEvent[];
let postgres: RealPostgres;

beforeAll(async () => {
  const ledger = await generateLedger({ events: 3000, days: 2, variants: 1 });
  const seen = claimantSeen(3, { name: 'pi', uid: 'claimant' });
  events = [
    ...aWaitingJob(),
    ...aPlacedJobStream().events,
    seen,
    anAuditedRequest(seen, { receivedAt: seen.time }),
    pricesApplied(4, [
      { resource: 'cpu', cluster: '*', perHour: '0.03', validFrom: '2026-01-01T00:00:00.000Z' },
    ]),
    ...aNodeLife(),
    ...[...ledger].map(({ value }) => decodeEvent(value)),
  ];
  // These events are placed among the events of Jobs, a few at a time.
  for (const [at, event] of aCronJobLife().entries()) events.splice(at * 10, 0, event);
  postgres = await startPostgres();
  await emptied(postgres.database);
}, 120_000);

afterAll(() => postgres?.close(), 60_000);

/** Returns the rows of the fold in an order that depends on content alone, and how often rows were read back. */
async function folded(rowsAtHand: number): Promise<{ rows: Record<string, unknown[]>; readBack: number }> {
  const session = await openSession({ DATABASE_URL: postgres.servers.addresses.databaseUrl ?? '' }, 'test');
  let readBack = 0;
  const counted: typeof session = {
    ...session,
    run: (statement) => {
      if (statement.text.includes('returning')) readBack += 1;
      return session.run(statement);
    },
  };
  const rows: Record<string, unknown[]> = {};
  try {
    await createSchema(session.run);
    await visitTables(emptyRows(), ({ table }) => createShadow(session.run, table));
    const fold = await openFold(counted, rowsAtHand);
    for (let at = 0; at < events.length; at += BATCH) {
      const batch = events.slice(at, at + BATCH);
      await fold.load(batch.map(eventOwner));
      fold.add(batch);
      await fold.flushIfLarge();
    }
    await fold.flush();
    await visitTables(emptyRows(), async ({ table }) => {
      const text = `select to_jsonb(t) as row from ${shadowName(table)} t order by to_jsonb(t)::text`;
      rows[table.name] = await session.run({ text, values: [] });
    });
  } finally {
    await dropSchema(session.run);
    await session.close();
  }
  return { rows, readBack };
}

describe('a fold of events that keeps few rows in memory', () => {
  it('gives the same rows as a fold that keeps all rows', async () => {
    const all = await folded(Infinity);
    const few = await folded(50);
    expect(all.readBack).toBe(0);
    expect(few.readBack).toBeGreaterThan(100);
    expect(few.rows).toEqual(all.rows);
    expect(Object.values(all.rows).every(({ length }) => length > 0)).toBe(true);
  }, 60_000);
});
