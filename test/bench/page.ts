import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { close, listen } from '../../services/adapters/http/server.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { table } from '../../cli/print/table.ts';
import { startPostgres } from '../projector/real-postgres.ts';
import { startChromium } from '../support/chromium.ts';
import { pageApi, TOKEN } from '../support/page-api.ts';
import { fillPostgres } from './ledger/fill.ts';
import { generateLedger } from './ledger/generate.ts';
import { SLIDER_ANSWERS, ZOOM_STEPS } from './page-scripts.ts';

/**
 * `npm run bench:page [-- --jobs N --pods N --runs N --data FOLDER]`: how fast the page is in Chromium with a million Jobs, half
 * of them deleted, and with a Job of 10,000 pods. `--data` keeps the rows in a folder, for runs within the next days. Exits with 1
 * when a figure is over its limit.
 */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000000' },
    pods: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '9' },
    data: { type: 'string' },
  },
});
const [JOBS, PODS, RUNS] = [Number(values.jobs), Number(values.pods), Number(values.runs)];

/** A generated ledger, whose Jobs are then copied in the tables. */
const LEDGER = { events: 30_000, until: Date.now(), days: 2, variants: 3, seed: 24 };
const SIZE = { width: 1280, height: 800 };
const BIG = 'big-job';
/** Copies per statement, which then ends well within its limit of time. */
const COPIES = 100;

interface Figure {
  what: string;
  /** In ascending order. */
  measured: number[];
  /** Which of them counts, as a share. */
  quantile: number;
  limit: number;
  unit: 'ms' | 'kB';
}

const postgres = await startPostgres(values.data === undefined ? {} : { folder: values.data });
const ending = new AbortController();
try {
  const figures = await measured();
  report(figures);
  if (figures.some(isMissed)) process.exitCode = 1;
} finally {
  await postgres.close();
}

async function measured(): Promise<Figure[]> {
  const { database, servers } = postgres;
  if (!(await isFilled(database))) await fill(database, servers.addresses.databaseUrl ?? '');
  const [job] = await database.run<{ cluster: string; namespace: string }>(
    sql`select cluster, namespace from jobledger.jobs where uid = ${BIG}`,
  );
  if (job === undefined) throw new Error(`the data has no ${BIG}`);
  const server = await pageApi({
    database,
    signal: ending.signal,
    ask: () => Promise.reject(new Error('this benchmark only reads')),
  });
  const url = `http://${await listen(server, { host: '127.0.0.1', port: 0 })}/ui/`;
  const browser = await startChromium();
  try {
    return [
      ...(await firstViews(browser, url)),
      ...(await bigJobViews(browser, `${url}?cluster=${job.cluster}&namespace=${job.namespace}&job=${BIG}`)),
    ];
  } finally {
    await browser.close();
    ending.abort();
    await close(server);
  }
}

/** Whether a former run left everything here: the big Job's row is the last that is written. */
async function isFilled(database: Database): Promise<boolean> {
  const [found] = await database.run<{ jobs: string | null }>(
    sql`select to_regclass('jobledger.jobs')::text as jobs`,
  );
  if ((found?.jobs ?? null) === null) return false;
  return (await database.run(sql`select from jobledger.jobs where uid = ${BIG}`)).length > 0;
}

async function fill(database: Database, databaseUrl: string): Promise<void> {
  reportLine('generating rows');
  const reports = { log: silentLog(), report: () => undefined };
  await fillPostgres({ DATABASE_URL: databaseUrl }, await generateLedger(LEDGER), reports);
  await manyJobs(database);
  await bigJob(database);
  // As autovacuum leaves tables that were filled long ago.
  for (const text of ['vacuum analyze jobledger.jobs', 'analyze', 'checkpoint'])
    await database.run({ text, values: [] });
}

/** Copies of the generated Jobs, each a minute older than the last, so that none is like another. */
async function manyJobs(database: Database): Promise<void> {
  const [{ count } = { count: 0 }] = await database.run<{ count: number }>(
    sql`select count(*)::integer as count from jobledger.jobs`,
  );
  const copies = Math.ceil(JOBS / count);
  reportLine(`copying ${count} Jobs ${copies} times`);
  const at = (column: string): string => `'${column}', j.${column} - n * interval '1 minute'`;
  const times = ['created_at', 'started_at', 'finished_at', 'first_seen_at', 'last_seen_at'];
  // As after their time to live.
  const deleted = `'deleted_at', case when n % 2 = 0 then coalesce(j.finished_at, j.created_at) end - n * interval '1 minute'`;
  for (let first = 1; first < copies; first += COPIES)
    await database.run({
      text: `insert into jobledger.jobs select copy.* from jobledger.jobs j, generate_series($1::integer, $2) n,
        jsonb_populate_record(j, jsonb_build_object('uid', j.uid || '-copy-' || n, 'name', j.name || '-' || n,
          ${times.map(at).join(', ')}, ${deleted})) copy
        where j.uid not like '%-copy-%'`,
      values: [first, Math.min(copies, first + COPIES) - 1],
    });
}

/** An Indexed Job with `PODS` pods, a decision for every twenty of them, and statuses. */
async function bigJob(database: Database): Promise<void> {
  const [job] = await database.run<{ cluster: string; namespace: string; uid: string }>(
    sql`select j.cluster, j.namespace, j.uid from jobledger.jobs j
      where uid not like '%-copy-%' and completion_mode = 'Indexed' and kubectl_status = 'Complete' and deleted_at is null
        and exists (select from jobledger.pods p where p.cluster = j.cluster and p.job_uid = j.uid)
        and exists (select from jobledger.decisions d where d.cluster = j.cluster and d.job_uid = j.uid)
      order by decision_count desc, uid limit 1`,
  );
  if (job === undefined) throw new Error('the generated ledger has no Indexed Job');
  const { cluster, uid } = job;
  const own = { uid: BIG, name: BIG };
  const later = (column: string): string => `'${column}', r.${column} + n * interval '100 ms'`;
  const copied = async (name: string, of: string, count: number, fields: string): Promise<void> =>
    void (await database.run({
      text: `insert into jobledger.${name} select copy.* from jobledger.${name} r, generate_series(0, $3) n,
          jsonb_populate_record(r, jsonb_build_object('${of}', '${BIG}', ${fields})) copy
        where r.ctid = (select ctid from jobledger.${name} where cluster = $1 and ${of} = $2 limit 1)`,
      values: [cluster, uid, count - 1],
    }));
  const podTimes = ['created_at', 'started_at', 'first_ready_at', 'finished_at', 'first_seen_at'];
  await copied(
    'pods',
    'job_uid',
    PODS,
    `'uid', 'pod-' || n, 'name', '${BIG}-' || n, 'job_name', '${BIG}', 'completion_index', n, ${podTimes.map(later).join(', ')}`,
  );
  await copied(
    'decisions',
    'job_uid',
    PODS / 20,
    `'id', 'decision-' || n, 'number', n + 1, 'job_name', '${BIG}', 'superseded', false, 'recorded_at', r.recorded_at + n * interval '2 s'`,
  );
  await copied(
    'job_statuses',
    'uid',
    PODS / 20,
    `'name', '${BIG}', 'resource_version', r.resource_version + n, 'seen_at', r.seen_at + n * interval '2 s', 'succeeded', n, 'deleted', false`,
  );
  await database.run({
    text: `insert into jobledger.jobs select copy.* from jobledger.jobs j, jsonb_populate_record(j, $3) copy
      where j.cluster = $1 and j.uid = $2`,
    values: [cluster, uid, JSON.stringify({ ...own, completions: PODS, parallelism: PODS, succeeded: PODS })],
  });
}

async function firstViews(browser: Browser, url: string): Promise<Figure[]> {
  const [shown, sizes, counted]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    const { page, bytes } = await opened(browser, url, '.job-row a');
    shown.push(await shownAfter(page));
    sizes.push((await bytes()) / 1000);
    // Its query would otherwise go on beside the next view.
    await page.locator('.bars').waitFor();
    counted.push(await page.evaluate<number>('performance.now()'));
    await page.context().close();
  }
  return [
    { what: `first view of ${JOBS} Jobs`, measured: shown, quantile: 0.5, limit: 1000, unit: 'ms' },
    { what: 'the same with its histogram', measured: counted, quantile: 0.5, limit: 2000, unit: 'ms' },
    { what: 'first load, compressed', measured: sizes, quantile: 1, limit: 300, unit: 'kB' },
  ];
}

async function bigJobViews(browser: Browser, url: string): Promise<Figure[]> {
  const drawn: number[] = [];
  const steps: number[] = [];
  const tasks: number[] = [];
  const answers: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { page } = await opened(browser, url, '.picture .folded, .picture .pod');
    drawn.push(await shownAfter(page));
    // Bands and lanes together.
    await page.locator('.band').first().click();
    const found = (await page.evaluate(ZOOM_STEPS)) as { steps: number[]; tasks: number[] };
    steps.push(...found.steps);
    tasks.push(...found.tasks);
    answers.push(...(await page.evaluate<number[]>(SLIDER_ANSWERS)));
    await page.context().close();
  }
  const of = (what: string, list: number[], quantile: number, limit: number): Figure => ({
    what,
    measured: list,
    quantile,
    limit,
    unit: 'ms',
  });
  return [
    of(`a Job of ${PODS} pods is drawn`, drawn, 0.5, 1000),
    of('a zoom step, scripting', steps, 0.95, 8),
    of('the longest task while zooming', tasks.length === 0 ? [0] : tasks, 1, 50),
    of('the slider, until the status is that of the instant', answers, 0.95, 100),
  ];
}

/** Opens the page without any cache; `shownAfter` then gives when the selector matched first. */
async function opened(
  browser: Browser,
  url: string,
  selector: string,
): Promise<{ page: Page; bytes: () => Promise<number> }> {
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (/\/ui\/[^?]*(\?|$)/.test(response.url())) bodies.push(response.body());
  });
  await page.addInitScript(
    `sessionStorage.setItem('jobledger-token', '${TOKEN}');
     window.shown = new Promise((resolve) => {
       new MutationObserver((_, observer) => {
         if (document.querySelector('${selector}') === null) return;
         observer.disconnect();
         requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
       }).observe(document, { childList: true, subtree: true });
     });`,
  );
  await page.goto(url);
  const bytes = async (): Promise<number> =>
    (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  return { page, bytes };
}

/** Milliseconds from the beginning of the navigation to the frame after the one that shows it. */
function shownAfter(page: Page): Promise<number> {
  return page.evaluate('window.shown');
}

function quantileValue({ measured: list, quantile }: Figure): number {
  const ascending = list.toSorted((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(ascending.length * quantile) - 1)] ?? Number.NaN;
}

function isMissed(figure: Figure): boolean {
  return !(quantileValue(figure) <= figure.limit);
}

function report(figures: readonly Figure[]): void {
  const name: Record<number, string> = { 0.5: 'median', 0.95: 'p95', 1: 'most' };
  const rows = figures.map((figure) => [
    figure.what,
    name[figure.quantile] ?? '',
    `${quantileValue(figure).toFixed(1)} ${figure.unit}`,
    `${figure.limit} ${figure.unit}${isMissed(figure) ? '  MISSED' : ''}`,
    String(figure.measured.length),
  ]);
  process.stdout.write(`${table(['figure', '', 'measured', 'limit', 'of'], rows)}\n`);
}

function reportLine(message: string): void {
  process.stderr.write(`${message}\n`);
}
