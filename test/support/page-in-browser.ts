import { afterAll, describe } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { close, listen } from '../../services/adapters/http/server.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { aProjector, startPostgres, TOPIC, type RealPostgres } from '../projector/real-postgres.ts';
import { startChromium, whyNoChromium } from './chromium.ts';
import { pageApi, type PageApi } from './page-api.ts';
import { pageVisits, type PageVisits } from './page-visits.ts';

/** The page in a real browser, served by the API over tables of its own. */
export interface PageInBrowser extends PageVisits {
  readonly postgres: RealPostgres;
  readonly url: () => string;
  /** Starts Postgres, and the API and the browser once `prepare` has filled the tables. Where there is no Chromium: nothing. */
  start(prepare: (postgres: RealPostgres) => Promise<ApiOfPage>): Promise<void>;
  /** Fills the tables with a generated ledger. */
  fillWith(ledger: Parameters<typeof generateLedger>[0]): Promise<void>;
  /** Appends events to the tables, as the projector does. @throws for one that it cannot use. */
  project(events: readonly LedgerEvent[]): Promise<void>;
  stopApi(): Promise<void>;
  /** Starts the API again at the same address. */
  startApi(): Promise<void>;
}

type ApiOfPage = Omit<PageApi, 'database' | 'signal'>;

/** Skips its tests where there is no Chromium. */
export const inChromium = whyNoChromium() === null ? describe : describe.skip;

/** Everything that it starts ends after the tests of the file. */
export function pageInBrowser(): PageInBrowser {
  let [postgres, browser] = [undefined as RealPostgres | undefined, undefined as Browser | undefined];
  let server: HttpServer | undefined;
  let [url, ending] = ['', new AbortController()];
  let api: ApiOfPage = { ask: () => Promise.reject(new Error('nothing is asked for here')) };
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the page is not started');
    return part;
  };
  const startApi = async (): Promise<void> => {
    ending = new AbortController();
    server = await pageApi({ ...api, database: started(postgres).database, signal: ending.signal });
    const port = url === '' ? 0 : Number(new URL(url).port);
    url = `http://${await listen(server, { host: '127.0.0.1', port })}`;
  };
  const stopApi = async (): Promise<void> => {
    ending.abort();
    if (server !== undefined) await close(server);
    server = undefined;
  };
  afterAll(async () => {
    await browser?.close();
    await stopApi();
    await postgres?.close();
  });
  return {
    ...pageVisits(
      () => started(browser),
      () => url,
    ),
    get postgres() {
      return started(postgres);
    },
    url: () => url,
    async start(prepare) {
      if (whyNoChromium() !== null) return;
      postgres = await startPostgres();
      api = await prepare(postgres);
      await startApi();
      browser = await startChromium();
    },
    async fillWith(ledger) {
      const DATABASE_URL = started(postgres).servers.addresses.databaseUrl ?? '';
      const reports = { log: silentLog(), report: () => undefined };
      await fillPostgres({ DATABASE_URL }, await generateLedger(ledger), reports);
    },
    project: (events) => projectAfter(started(postgres), events),
    startApi,
    stopApi,
  };
}

async function projectAfter(
  { database }: Pick<RealPostgres, 'database'>,
  events: readonly LedgerEvent[],
): Promise<void> {
  const [row] = await database.run<{ next: string }>(
    sql`select next_offset as next from jobledger.positions where topic = ${TOPIC} and partition = 0`,
  );
  const from = BigInt(row?.next ?? 0);
  const records = events.map((event, at): LedgerRecord => {
    const { key, value } = encodeEvent(event);
    return { partition: 0, offset: from + BigInt(at), key, value: Buffer.from(value) };
  });
  const projector = aProjector(database);
  await projector.project(records);
  const problems = [...projector.deadLetters, projector.fatal].flat();
  if (problems.length > 0) throw new Error(`the projector cannot use them: ${JSON.stringify(problems)}`);
}
