import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { decodeJobEvent } from '../support/decode-job-event.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { countMissedStarts } from '../../services/projector/missed-starts/count.ts';
import { lateAndMissedStarts } from '../support/cron-job-starts.ts';
import { pricesApplied } from '../projector/price-lists.ts';
import { startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { ask, asText, readSqlPage, SQL_PAGE, withAnswers, withVariables } from '../support/sql-page.ts';

jest.setTimeout(120_000);

/** The answers of the page come from this ledger. */
const LEDGER = {
  events: 8000,
  until: Date.parse('2026-11-22T00:00:00Z'),
  days: 2,
  variants: 3,
  seed: 24,
  suspended: 3,
};

const PRICES = pricesApplied(
  0,
  [
    { resource: 'cpu', perHour: '0.031' },
    { resource: 'memory', perHour: '0.0042' },
  ].map((price) => ({ ...price, cluster: '*', validFrom: '2026-11-01T00:00:00.000Z' })),
);

const { text, questions, variables } = readSqlPage();

let events: JobEvent[];
let postgres: RealPostgres;
let pool: Pool;

beforeAll(async () => {
  const ofJobs = [...(await generateLedger(LEDGER)), encodeEvent(PRICES)];
  events = ofJobs.map(({ value }) => decodeJobEvent(value));
  const ledger = [...ofJobs, ...lateAndMissedStarts(LEDGER.until).map(encodeEvent)];
  postgres = await startPostgres();
  const url = postgres.servers.addresses.databaseUrl ?? '';
  await fillPostgres({ DATABASE_URL: url }, ledger, { log: createLog('test'), report: () => undefined });
  await countMissedStarts(postgres.database, { cluster: 'east', until: LEDGER.until });
  pool = new Pool({ connectionString: url, options: '-c timezone=UTC' });
});
afterAll(async () => {
  await pool.end();
  await postgres.close();
});

async function outcomesFor(title: string): Promise<Record<string, string>[]> {
  const question = questions.find((each) => each.title.startsWith(title));
  if (question === undefined) throw new Error(`the page does not ask "${title} …"`);
  const { columns, rows } = await ask(pool, withVariables(question.statement, variables));
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [columns[at], value])));
}

function total(rows: readonly Record<string, string>[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}

type PodObserved = JobEvent & { type: 'pod.observed' };

/** Returns the number of distinct pods with a version that matches. */
function podsWhere(holds: (event: PodObserved) => boolean): number {
  const uids = events.flatMap((event) =>
    event.type === 'pod.observed' && holds(event) ? [event.data.object.metadata.uid] : [],
  );
  return new Set(uids).size;
}

describe('the questions of docs/sql.md', () => {
  it('are at least a dozen, and each has an answer with rows', async () => {
    expect(questions.length).toBeGreaterThanOrEqual(12);
    for (const { title, statement } of questions) {
      const { rows } = await ask(pool, withVariables(statement, variables));
      expect([title, rows.length > 0]).toEqual([title, true]);
    }
  });

  it('have exactly the answers that the page shows (JOBLEDGER_WRITE_ANSWERS=1 writes them)', async () => {
    const answers: string[] = [];
    for (const { statement } of questions)
      answers.push(asText(await ask(pool, withVariables(statement, variables))));
    if (process.env['JOBLEDGER_WRITE_ANSWERS'] === '1') writeFileSync(SQL_PAGE, withAnswers(text, answers));
    else expect(questions.map(({ answer }) => answer)).toEqual(answers);
  });
});

describe('the answers to the questions of docs/sql.md', () => {
  it('agree with the events about evicted and failed pods', async () => {
    const evicted = podsWhere(({ data }) => data.object.status?.reason === 'Evicted');
    expect(total(await outcomesFor('How many pods were evicted'), 'pods')).toBe(evicted);
    const isFailed = ({ data }: PodObserved): boolean => data.object.status?.phase === 'Failed';
    const deleted = podsWhere(
      (event) =>
        isFailed(event) &&
        event.data.object.status?.reason !== 'Evicted' &&
        event.data.object.metadata.deletionTimestamp !== undefined,
    );
    const failed = podsWhere(isFailed) - deleted;
    expect(total(await outcomesFor('How many pod-hours were lost'), 'failed_attempts')).toBe(failed);
    expect(deleted).toBeGreaterThan(0);
    expect(evicted).toBeGreaterThan(0);
  });

  it('agree with the events about missed deadlines and gaps', async () => {
    const missed = events.flatMap((event) => {
      if (event.type !== 'job.observed') return [];
      const conditions = event.data.object.status?.conditions ?? [];
      const isMissed = conditions.some(
        ({ type, reason }) => type === 'Failed' && reason === 'DeadlineExceeded',
      );
      return isMissed ? [event.data.jobUid] : [];
    });
    expect(await outcomesFor('Which Jobs missed their deadline')).toHaveLength(
      Math.min(10, new Set(missed).size),
    );
    const gaps = events.filter(({ type }) => type === 'cluster.gap');
    expect(await outcomesFor('Which periods of a cluster were missed')).toHaveLength(gaps.length);
  });

  it('agree with the events about the status of a Job at an instant', async () => {
    const at = Date.parse(variables['at'] ?? '');
    const name = `${variables['namespace']}/${variables['job']}`;
    const seen = events.flatMap((event) =>
      event.type === 'job.observed' && event.subject === name && Date.parse(event.time) <= at ? [event] : [],
    );
    const status = seen.at(-1)?.data.object.status;
    expect(await outcomesFor('What was the status of a Job at an instant')).toMatchObject([
      {
        resource_version: seen.at(-1)?.data.object.metadata.resourceVersion,
        active: String(status?.active ?? 0),
      },
    ]);
  });
});
