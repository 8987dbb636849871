import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { close, listen } from '../../services/adapters/http/server.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import type { ClusterWatches } from '../../services/contracts/watches.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { aWorld, finish, runUntil, time, work } from '../cron-job/world.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { aProjector, recordsOf, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { seriousIn } from '../support/axe.ts';
import { startChromium, whyNoChromium } from '../support/chromium.ts';
import { OPERATOR, pageApi } from '../support/page-api.ts';
import { pageVisits } from '../support/page-visits.ts';

jest.setTimeout(120_000);

/** What a data engineer and an operator come for, and how many clicks from the fleet that may take. */
const MOST_CLICKS = 3;

const LEDGER = { events: 12_000, until: Date.parse('2026-11-22T00:00:00Z'), days: 2, variants: 3, seed: 24 };

let postgres: RealPostgres;
let server: HttpServer;
let browser: Browser;
let url: string;
const ending = new AbortController();
const asked: string[] = [];
const { visit, violations } = pageVisits(
  () => browser,
  () => url,
);

/** A Job that failed after back-offs. */
let failed: { name: string; team: string };

const CREATED = '2026-11-22T01:00:00Z';

function observed(name: string, fields: Parameters<typeof aJob>[0]): JobEvent {
  const metadata = { name, uid: name, creationTimestamp: CREATED, ...fields.metadata };
  const event = jobObserved(0, aJob({ ...fields, metadata }), metadata.uid);
  return withDigest({ ...event, subject: `default/${name}`, time: CREATED });
}

const OWNER = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  name: 'nightly-report',
  uid: 'cron',
  controller: true,
};

function aRun(name: string, version: number, succeeded: number): JobEvent {
  const conditions =
    succeeded === 1
      ? [{ type: 'Complete', status: 'True', lastTransitionTime: CREATED }]
      : [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime: CREATED }];
  return observed(name, {
    version,
    metadata: { ownerReferences: [OWNER] },
    spec: { managedBy: OWN_MANAGER },
    status: { succeeded, conditions },
  });
}

/** A CronJob whose Job ran over two further starts: one was skipped, one late. Then its creation was refused. */
function aCronJob(): { stream: CronJobEvent[]; jobs: Job[] } {
  const world = aWorld(
    { schedule: '*/10 * * * *', concurrencyPolicy: 'Forbid', timeZone: 'Europe/Berlin' },
    '2026-03-01T12:00:00Z',
  );
  runUntil(world, time('2026-03-01T12:31:00Z'));
  for (const name of world.jobs.keys()) finish(world, name);
  work(world);
  for (const name of world.jobs.keys()) finish(world, name);
  world.trouble = { CreateJob: { status: 403, reason: 'Forbidden', message: 'exceeded quota' } };
  world.now = time('2026-03-01T12:40:01Z');
  work(world);
  return { stream: world.stream, jobs: [...world.jobs.values()] };
}

const LONG_AGO = '2026-11-22T00:00:00.000Z';

/** One of two shards of each cluster has no ingester; nobody leads `east`. */
function watchesOf(clusters: readonly string[]): Map<string, ClusterWatches> {
  const heard = { jobsHeardAt: LONG_AGO, podsHeardAt: LONG_AGO, leadingSince: LONG_AGO };
  const led = { shard: 1, leader: 'node-1_7_1700000000000', since: LONG_AGO, version: '0.1.0' };
  const missing = { shard: 2, leader: null, since: null, version: null };
  const shardsOf = (name: string): ClusterWatches['shards'] => (name === 'east' ? [] : [led, missing]);
  return new Map(clusters.map((name) => [name, { ...heard, leader: null, shards: shardsOf(name) }]));
}

beforeAll(async () => {
  if (whyNoChromium() !== null) return;
  postgres = await startPostgres();
  const DATABASE_URL = postgres.servers.addresses.databaseUrl ?? '';
  const reports = { log: silentLog(), say: () => undefined };
  await fillPostgres({ DATABASE_URL }, await generateLedger(LEDGER), reports);
  const [row] = await postgres.database.run<{ next: string }>(
    sql`select next_offset as next from jobledger.positions order by partition limit 1`,
  );
  const cronJob = aCronJob();
  const events = [
    ...cronJob.stream,
    ...cronJob.jobs.map(({ metadata, status = {} }, at) =>
      observed(metadata.name, { version: 10 + at, metadata, spec: { managedBy: OWN_MANAGER }, status }),
    ),
    observed('waiting-job', { version: 2, spec: { managedBy: OWN_MANAGER }, status: { startTime: CREATED } }),
    aRun('nightly-report-1', 3, 1),
    aRun('nightly-report-2', 4, 0),
  ];
  const from = Number(row?.next ?? 0);
  const records = recordsOf(events).map((record, at) => ({
    ...record,
    partition: 0,
    offset: BigInt(from + at),
  }));
  await aProjector(postgres.database).project(records);
  const [found] = await postgres.database.run<typeof failed>(
    sql`select j.name, j.labels ->> 'team' as team from jobledger.jobs j
      join jobledger.pods p on p.cluster = j.cluster and p.job_uid = j.uid
      where j.state = 'Failed' and p.created_rule = ${'J-5.40'} and p.reason = 'OOMKilled'
        and j.completion_mode = 'Indexed'
      order by j.decisions desc, j.uid limit 1`,
  );
  if (found === undefined) throw new Error('the generated ledger has no Job that was killed and tried again');
  failed = found;
  server = await pageApi({
    database: postgres.database,
    signal: ending.signal,
    ask: async (job, request) => void asked.push(`${request} ${job.name}`),
    watches: async () => {
      const rows = await postgres.database.run<{ name: string }>(sql`select name from jobledger.clusters`);
      return watchesOf(rows.map(({ name }) => name));
    },
    settings: { provider: null, logUrl: 'https://logs.example/?pod={pod}&from={from_ms}' },
  });
  url = `http://${await listen(server, { host: '127.0.0.1', port: 0 })}`;
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  ending.abort();
  if (server !== undefined) await close(server);
  await postgres?.close();
});

/** The fleet, with a count of clicks. Typing is free. */
interface Visitor {
  page: Page;
  click: (what: Locator) => Promise<void>;
  /** Searches, as the slash key begins it. */
  search: (text: string) => Promise<void>;
}

async function expectInFewClicks(task: (visitor: Visitor) => Promise<void>, token?: string): Promise<void> {
  const { page, context } = await visit(token === undefined ? {} : { token });
  let clicks = 0;
  await page.getByRole('table', { name: 'Jobs' }).waitFor();
  await task({
    page,
    click: async (what) => {
      clicks += 1;
      await what.click();
    },
    search: async (text) => {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    },
  });
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  await context.close();
}

const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });

const inChromium = whyNoChromium() === null ? describe : describe.skip;

inChromium('within three clicks from the fleet', () => {
  it('finds the failures of a team, and what they have in common', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(`team=${failed.team}`);
      await click(page.getByRole('button', { name: /^Failed/ }));
      await click(page.getByRole('button', { name: /^Group by/ }));
      await click(page.getByRole('menuitemradio', { name: 'reason', exact: true }));
      const groups = page.getByRole('region', { name: 'Groups' });
      await groups.getByRole('button', { name: /137 OOMKilled.*back-off limit reached/ }).waitFor();
      expect(new URL(page.url()).searchParams.getAll('label')).toEqual([`team=${failed.team}`]);
    }));

  it('says why a Job is not starting', () =>
    expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('button', { name: /^Pending/ }));
      const row = page.getByRole('row').filter({ has: link(page, 'waiting-job') });
      await row.getByText('waits for its first pod to be created').waitFor();
      await click(link(page, 'waiting-job'));
      await page.getByText('It has not started. It waits for its first pod to be created.').waitFor();
    }));

  it('says why a Job failed, and where', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      const sentence = page.getByRole('region', { name: 'What happened' });
      await sentence.getByText('It ran out of memory.').waitFor();
      expect(await sentence.textContent()).toMatch(
        /Index(es)? [\d, and]+ ended with 137 \(OOMKilled\).*The limit of \d+ retries was reached at/,
      );
      await click(page.getByRole('tab', { name: /^Pods/ }));
      await page.getByRole('cell', { name: '137 OOMKilled' }).first().waitFor();
      expect(await page.getByRole('cell', { name: /^node-/ }).count()).toBeGreaterThan(0);
    }));

  it('shows the chain of causes of a failure as a picture', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'Show why →' }));
      const picture = page.getByRole('region', { name: 'Causes, left to right in time' });
      await picture.getByRole('button', { name: /^The Job must fail/ }).waitFor();
      await picture
        .getByRole('button', { name: /^Index \d+ failed, 137 OOMKilled/ })
        .first()
        .waitFor();
    }));

  it('says what the failed attempts cost', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await page
        .getByRole('region', { name: 'Facts' })
        .getByText(/^\d.* in failed attempts$/)
        .waitFor();
    }));

  it('shows a Job as it was before its last decision, and what was known to come next', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'previous decision' }));
      await click(page.getByRole('button', { name: 'previous decision' }));
      await page.getByRole('heading', { name: /^At .* as it was seen then$/ }).waitFor();
      await page.getByText('As it was known then.').waitFor();
    }));

  it('leads to the log of the pod that failed', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'Logs' }));
      const dialog = page.getByRole('dialog', { name: 'Logs' });
      await dialog
        .getByText(/^kubectl logs --namespace \S+ \S+$/)
        .first()
        .waitFor();
      const href = await dialog.getByRole('link', { name: 'Open its log ↗' }).first().getAttribute('href');
      expect(href).toMatch(/^https:\/\/logs\.example\/\?pod=[\w-]+&from=\d+$/);
    }));

  it('says whether a lower limit would have ended the Job earlier', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'What if…' }));
      await page.getByLabel('backoffLimit', { exact: true }).fill('0');
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await page.getByText('It would have ended differently.').waitFor();
    }));

  it('compares a run with the one before it', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search('nightly-report-2');
      await click(link(page, 'nightly-report-2'));
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await click(page.getByRole('menuitem', { name: /^nightly-report-1/ }));
      const runs = page.getByRole('region', { name: /^Compared with another run/ });
      await runs.getByRole('row', { name: /^status Failed Succeeded$/ }).waitFor();
    }));

  it('says when a CronJob starts next, and how its starts went', () =>
    expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'CronJobs', exact: true }));
      await click(page.getByRole('table').getByRole('link').first());
      await page.getByRole('region', { name: 'What it waits for' }).waitFor();
      expect(
        await page
          .getByRole('list', { name: /^Starts/ })
          .getByRole('listitem')
          .count(),
      ).toBeGreaterThan(0);
    }));

  it('says why a start of a CronJob did not happen', () =>
    expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'CronJobs', exact: true }));
      await click(page.getByRole('table').getByRole('link').first());
      const strip = page.getByRole('list', { name: /^Starts/ });
      await strip.waitFor();
      expect(await strip.getByRole('listitem').count()).toBe(4 + 5);
      expect(await strip.getByRole('img', { name: /^coming: .* Europe\/Berlin\)$/ }).count()).toBe(5);
      await strip.getByRole('link', { name: /succeeded, late$/ }).waitFor();
      await click(strip.getByRole('button', { name: /skipped; why\?$/ }));
      const status = page.getByRole('status');
      await status.getByText('the Job before it was still running, and its Jobs may not overlap.').waitFor();
      const legend = await page.getByRole('list', { name: 'Legend of the starts' }).innerText();
      for (const word of ['succeeded', 'skipped', 'its Job was not created', 'coming', 'late'])
        expect(legend).toContain(word);
    }));

  it('says who watches each cluster, and what to do where nobody does', () =>
    expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Clusters', exact: true }));
      const cluster = page.getByRole('region', { name: /^Cluster / });
      const [partly, not] = [
        cluster.filter({ hasText: 'One of its ingesters is missing' }),
        cluster.filter({ hasText: 'No ingester leads it' }),
      ];
      await partly.first().getByText('node-1', { exact: true }).waitFor();
      await partly
        .first()
        .getByText(/^since .*, version 0\.1\.0$/)
        .waitFor();
      await not.getByText(/^kubectl --namespace jobledger get pods/).waitFor();
      await page.getByRole('region', { name: 'Versions' }).getByText('Feature level').waitFor();
    }));

  it('says which cluster is behind, and what was not seen of it', () =>
    expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Clusters', exact: true }));
      await page.getByRole('list', { name: 'Parts of Jobledger' }).getByText('7 records behind').waitFor();
      await click(page.getByRole('button', { name: 'Show what was not seen' }).first());
      await page.locator('.gaps').first().waitFor();
    }));

  it('suspends chosen Jobs, after it has said how many pods stop', () =>
    expectInFewClicks(async ({ page, click, search }) => {
      await search('waiting-job');
      await click(page.getByRole('checkbox', { name: 'Choose waiting-job' }));
      await click(page.getByRole('button', { name: 'Suspend 1', exact: true }));
      const dialog = page.getByRole('dialog', { name: 'Suspend 1 Jobs?' });
      await dialog.getByText(/^0 pods stop/).waitFor();
      await click(dialog.getByRole('button', { name: 'Suspend', exact: true }));
      await page.getByRole('region', { name: 'Chosen Jobs' }).waitFor({ state: 'detached' });
      expect(asked).toEqual(['suspend waiting-job']);
    }, OPERATOR));

  it('opens the first Job with five keys', async () => {
    const { page, context } = await visit();
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    await context.close();
    // Without knowing of j: the first tab stop skips to the first Job.
    const other = await visit();
    await other.page.getByRole('table', { name: 'Jobs' }).waitFor();
    for (const key of ['Tab', 'Enter', 'Enter']) await other.page.keyboard.press(key);
    expect(await other.page.getByRole('region', { name: 'What happened' }).innerText()).toMatch(/^It /);
    await other.context.close();
  });

  it.each(['light', 'dark'] as const)(
    'has nothing that axe-core finds serious where something is red or skipped, in %s',
    async (colorScheme) => {
      for (const width of [390, 1440]) {
        const options = { colorScheme, width, bypassCSP: true };
        const clusters = await visit({ ...options, search: '?view=clusters' });
        await clusters.page.getByText('Not watched').first().waitFor();
        await clusters.page.getByRole('region', { name: 'Versions' }).waitFor();
        expect(await seriousIn(clusters.page)).toEqual([]);
        await clusters.context.close();
        const cronJob = await visit({ ...options, search: '?cluster=east&namespace=default&cronjob=tick' });
        await cronJob.page.getByRole('button', { name: /skipped; why\?$/ }).click();
        await cronJob.page.getByText('its Jobs may not overlap.').waitFor();
        expect(await seriousIn(cronJob.page)).toEqual([]);
        await cronJob.context.close();
      }
    },
  );

  it('broke no rule of the content security policy', () => {
    expect(violations).toEqual([]);
  });
});
