import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import type { ClusterWatches } from '../../services/live-topic/watches.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { AwaitedJob, JobEvent } from '../../workflows/job/events.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { aWorld, finish, runUntil, time, work } from '../cron-job/world.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { seriousFindings } from '../support/axe.ts';
import { commandLine } from '../support/command-line.ts';
import { OPERATOR, TOKEN } from '../support/page-api.ts';
import { inChromium, pageInBrowser } from '../support/page-in-browser.ts';
import { taskPictures } from '../support/task-pictures.ts';

jest.setTimeout(120_000);

/**
 * A data engineer and an operator can do each of these tasks with this number of clicks from the fleet, and with one
 * command.
 */
const MOST_CLICKS = 3;

const LEDGER = { events: 12_000, until: Date.parse('2026-11-22T00:00:00Z'), days: 2, variants: 3, seed: 24 };

const asked: string[] = [];
const shown = pageInBrowser();
const { visit, violations } = shown;
const cli = commandLine(shown.url);

/** This Job failed after back-offs. */
let failed: { name: string; team: string; beforeLast: string };

const CREATED = '2026-11-22T01:00:00Z';

function observed(name: string, fields: Parameters<typeof aJob>[0], created = CREATED): JobEvent {
  const metadata = { name, uid: name, creationTimestamp: created, ...fields.metadata };
  const event = jobObserved(0, aJob({ ...fields, metadata }), metadata.uid);
  return withDigest({ ...event, subject: `default/${name}`, time: created });
}

const OWNER = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  name: 'nightly-report',
  uid: 'cron',
  controller: true,
};

function aRun(name: string, run: { version: number; succeeded: number; created: string }): JobEvent {
  const { version, succeeded, created } = run;
  const conditions =
    succeeded === 1
      ? [{ type: 'Complete', status: 'True', lastTransitionTime: created }]
      : [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime: created }];
  const metadata = { ownerReferences: [OWNER] };
  const spec = { managedBy: OWN_MANAGER };
  return observed(name, { version, metadata, spec, status: { succeeded, conditions } }, created);
}

/** Returns a chain: `load` waits for `transform`, which waits for the failed Job `extract` and for a Job that nobody has created. */
function aChain(): JobEvent[] {
  const after = (awaited: string) => ({ annotations: { 'jobledger.dev/after': awaited } });
  const waiting = { spec: { managedBy: OWN_MANAGER, suspend: true } };
  const end = { type: 'Failed' as const, reason: 'BackoffLimitExceeded', at: CREATED };
  return [
    { ...aRun('extract', { version: 6, succeeded: 0, created: CREATED }) },
    observed('transform', { version: 7, metadata: after('extract=Succeeded, check=Finished'), ...waiting }),
    observed('load', { version: 8, metadata: after('transform'), ...waiting }),
    awaitedBy('transform', { name: 'extract', uid: 'extract', resourceVersion: '9', end }),
    awaitedBy('transform', { name: 'check', resourceVersion: '9', since: CREATED }),
    awaitedBy('load', { name: 'transform', uid: 'transform', resourceVersion: '9' }),
  ];
}

function awaitedBy(name: string, awaited: AwaitedJob): JobEvent {
  return withDigest({
    id: `east/awaited/${name}/${awaited.name}`,
    type: 'awaited-job.observed',
    source: 'east',
    subject: `default/${name}`,
    time: CREATED,
    data: { cluster: 'east', jobUid: name, awaited },
  });
}

/** The Job of this CronJob ran over two further starts: one was skipped, one was late. Then a creation was refused. */
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

/** In each cluster, one of two shards has no ingester; `east` has no ingester at all. */
function clusterWatches(clusters: readonly string[]): Map<string, ClusterWatches> {
  const received = {
    jobsReceivedAt: LONG_AGO,
    podsReceivedAt: LONG_AGO,
    leadingSince: LONG_AGO,
    recordedFields: [],
  };
  const led = { shard: 1, leader: 'node-1_7_1700000000000', since: LONG_AGO, version: '0.1.0' };
  const missing = { shard: 2, leader: null, since: null, version: null };
  const clusterShards = (name: string): ClusterWatches['shards'] => (name === 'east' ? [] : [led, missing]);
  return new Map(clusters.map((name) => [name, { ...received, leader: null, shards: clusterShards(name) }]));
}

beforeAll(() =>
  shown.start(async ({ database }) => {
    await shown.fillWith(LEDGER);
    const cronJob = aCronJob();
    await shown.project([
      ...cronJob.stream,
      ...cronJob.jobs.map(({ metadata, status = {} }, at) =>
        observed(metadata.name, { version: 10 + at, metadata, spec: { managedBy: OWN_MANAGER }, status }),
      ),
      observed('waiting-job', {
        version: 2,
        spec: { managedBy: OWN_MANAGER },
        status: { startTime: CREATED },
      }),
      ...aChain(),
      observed('slow-job', { version: 5, spec: { managedBy: OWN_MANAGER } }),
      aRun('nightly-report-1', { version: 3, succeeded: 1, created: '2026-11-21T01:00:00Z' }),
      aRun('nightly-report-2', { version: 4, succeeded: 0, created: CREATED }),
    ]);
    const [found] = await database.run<typeof failed>(
      sql`select j.name, j.labels ->> 'team' as team, d.recorded_at as "beforeLast" from jobledger.jobs j
        join jobledger.pods p on p.cluster = j.cluster and p.job_uid = j.uid
        join jobledger.decisions d on d.cluster = j.cluster and d.job_uid = j.uid and d.number = j.decision_count - 1
        where j.status = 'Failed' and p.creation_rule = ${'J-5.40'} and p.reason = 'OOMKilled'
          and j.completion_mode = 'Indexed'
        order by j.decision_count desc, j.uid limit 1`,
    );
    if (found === undefined)
      throw new Error('the generated ledger has no Job that was killed and tried again');
    failed = found;
    return {
      ask: async (job, request) => void asked.push(`${request} ${job.name}`),
      watches: async () => {
        const rows = await database.run<{ name: string }>(sql`select name from jobledger.clusters`);
        return clusterWatches(rows.map(({ name }) => name));
      },
      settings: { provider: null, logUrl: 'https://logs.example/?pod={pod}&from={from_ms}' },
    };
  }),
);
afterAll(() => cli.remove());

/** A visitor of the fleet, whose clicks are counted. Typing is free. */
interface Visitor {
  page: Page;
  click: (what: Locator) => Promise<void>;
  /** Searches by the slash key. */
  search: (text: string) => Promise<void>;
}

const pictures = taskPictures();

async function expectInFewClicks(task: (visitor: Visitor) => Promise<void>, token = TOKEN): Promise<void> {
  const { page, context } = await visit({ token, bypassCSP: pictures !== null });
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
  await pictures?.take(page, expect.getState().currentTestName ?? '');
  await context.close();
}

/** Returns the output of a command of `jobledger` that uses the same API. */
async function printedBy(command: string, token = TOKEN): Promise<string> {
  const { exitCode, stdout, stderr } = await cli.run(command, token);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('jobledger:') });
  return stdout;
}

const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });

inChromium('within three clicks from the fleet,', () => {
  it('the page shows the failures of a team, and their common reason', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(`team=${failed.team}`);
      await click(page.getByRole('button', { name: /^Failed/ }));
      await click(page.getByRole('button', { name: /^Group by/ }));
      await click(page.getByRole('menuitemradio', { name: 'reason', exact: true }));
      const groups = page.getByRole('region', { name: 'Groups' });
      await groups.getByRole('button', { name: /137 OOMKilled.*back-off limit reached/ }).waitFor();
      expect(new URL(page.url()).searchParams.getAll('label')).toEqual([`team=${failed.team}`]);
    });
    expect(
      await printedBy(
        `get -l team=${failed.team} --status Failed --since 2026-11-20T00:00:00Z --deleted --group-by reason`,
      ),
    ).toMatch(/^REASON +JOBS +ACTIVE PODS\n(.*\n)*.*137 OOMKilled.*back-off limit reached +\d+ +0\n/);
  });

  it('the page shows why a Job is not starting', async () => {
    await expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('button', { name: /^Pending/ }));
      const row = page.getByRole('row').filter({ has: link(page, 'waiting-job') });
      await row.getByText('waits for its first pod to be created').waitFor();
      await click(link(page, 'waiting-job'));
      await page.getByText('The Job has not started. It waits for its first pod to be created.').waitFor();
    });
    expect(await printedBy('describe waiting-job')).toMatch(
      /^Status: +Pending\nWaiting for: +its first pod to be created\n/m,
    );
  });

  it('the page shows why and where a Job failed', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      const sentence = page.getByRole('region', { name: 'What happened' });
      await sentence.getByText('The Job ran out of memory.').waitFor();
      expect(await sentence.textContent()).toMatch(
        /Index(es)? [\d, and]+ ended with 137 \(OOMKilled\).*The limit of \d+ retries was reached at/,
      );
      await click(page.getByRole('tab', { name: /^Pods/ }));
      await page.getByRole('cell', { name: '137 OOMKilled' }).first().waitFor();
      expect(await page.getByRole('cell', { name: /^node-/ }).count()).toBeGreaterThan(0);
    });
    const described = await printedBy(`describe ${failed.name}`);
    expect(described).toMatch(/^Reason: .*137 OOMKilled.*back-off limit reached/m);
    expect(described).toMatch(/^ +\d+ .* Failed +node-.* exit code 137 \(OOMKilled\)/m);
  });

  it('the page shows the chain of causes of a failure as a picture', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'Show why →' }));
      const picture = page.getByRole('region', { name: 'Causes from left to right in time' });
      await picture.getByRole('button', { name: /^The Job must fail/ }).waitFor();
      await picture
        .getByRole('button', { name: /^Index \d+ failed, 137 OOMKilled/ })
        .first()
        .waitFor();
    });
    expect(await printedBy(`why ${failed.name}`)).toMatch(
      /^From effect to cause:\n(.*\n)*.* pod \S+ +Running → Failed, main exited with 137/m,
    );
  });

  it('the page shows the Jobs that a Job waits for, and their statuses', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search('load');
      await click(link(page, 'load'));
      await click(page.getByRole('tab', { name: 'Chain' }));
      const picture = page.getByRole('region', { name: /^Jobs from left to right/ });
      await picture.getByRole('button', { name: /^extract, Failed: back-off limit reached/ }).waitFor();
      await picture.getByRole('button', { name: 'check, not seen yet' }).waitFor();
      const list = page.getByRole('list', { name: 'Jobs of the chain' });
      await list.getByText('after extract has succeeded: the Job ended otherwise').waitFor();
      await list.getByText('after transform has succeeded: not yet').waitFor();
      await click(picture.getByRole('button', { name: /^transform, Suspended/ }));
      await page.getByRole('heading', { name: 'transform', level: 1 }).waitFor();
    });
    const described = await printedBy('describe transform');
    expect(described).toMatch(/^ +JOB +TO HAVE +IS +SINCE\n +extract +Succeeded +unmeetable +2026/m);
    expect(described).toMatch(/^ +check +Finished +missing +2026/m);
  });

  it('the page shows the Events that Jobledger created, as they were known at an instant', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('tab', { name: /^Conditions/ }));
      const events = page.getByRole('region', { name: 'Table of Events' });
      await events.getByRole('cell', { name: 'BackoffLimitExceeded', exact: true }).waitFor();
      const all = await events.getByRole('row', { name: /Normal SuccessfulCreate Created pod: / }).count();
      expect(all).toBeGreaterThan(1);
      await page.goto(`${page.url()}&at=${encodeURIComponent(failed.beforeLast)}`);
      await page.getByText(/^As it was seen at/).waitFor();
      await events.getByRole('row').first().waitFor();
      expect(await events.getByRole('cell', { name: 'BackoffLimitExceeded', exact: true }).count()).toBe(0);
    });
    expect(await printedBy(`history ${failed.name}`)).toMatch(
      /→ EmitEvents BackoffLimitExceeded: the change of the status is reported/,
    );
  });

  it('the page shows the pod time that a Job spent in failed attempts', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await page
        .getByRole('region', { name: 'Facts' })
        .getByText(/^\d.* in failed attempts$/)
        .waitFor();
    });
    expect(await printedBy(`describe ${failed.name}`)).toMatch(
      /^Pod time: +\S+, \S+ of it in \d+ failed attempts$/m,
    );
  });

  it('the page shows a Job as it was before its last decision, and what was to happen next', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'previous decision' }));
      await click(page.getByRole('button', { name: 'previous decision' }));
      await page.getByRole('heading', { name: /^At .* as it was seen then$/ }).waitFor();
      await page.getByText('As it was known then.').waitFor();
    });
    const then = await printedBy(`replay ${failed.name} --at ${failed.beforeLast}`);
    expect(then).toMatch(/^Status:\n +failed: /m);
    expect(then).toMatch(/^Then:\n +decision \d+ at /m);
  });

  it('the page leads to the log of the pod that failed', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
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
    });
    expect(await printedBy(`logs ${failed.name} --previous`)).toMatch(
      new RegExp(`^kubectl --context \\S+ --namespace \\S+ logs ${failed.name}-\\S+\n$`),
    );
  });

  it('the page shows whether a lower back-off limit would have ended a Job earlier', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search(failed.name);
      await click(link(page, failed.name));
      await click(page.getByRole('button', { name: 'What if…' }));
      await page.getByLabel('backoffLimit', { exact: true }).fill('0');
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await page.getByText('The Job would have ended differently.').waitFor();
    });
    expect(await printedBy(`what-if ${failed.name} --set backoffLimit=0`)).toMatch(
      /1 Job: 0 the same, 1 different, 0 unknown; \S+ of \S+ pod-hours saved/,
    );
  });

  it('the page compares a Job with the previous Job of the same owner', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search('nightly-report-2');
      await click(link(page, 'nightly-report-2'));
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await click(page.getByRole('menuitem', { name: /^nightly-report-1/ }));
      const runs = page.getByRole('region', { name: /^Compared with another run/ });
      await runs.getByRole('row', { name: /^status Failed Succeeded$/ }).waitFor();
    });
    const compared = await printedBy('compare nightly-report-2');
    expect(compared).toMatch(
      /^DIFFERS +FACT +east\/default\/nightly-report-2 +east\/default\/nightly-report-1\n/,
    );
    expect(compared).toMatch(/^\* +state +Failed +Succeeded$/m);
    expect(compared).toMatch(/^ +retries allowed +6 +6$/m);
  });

  it('the page shows the next start of a CronJob, and the results of its past starts', async () => {
    await expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'CronJobs', exact: true }));
      await click(page.getByRole('table').getByRole('link').first());
      await page.getByRole('region', { name: 'Reason to wait' }).waitFor();
      expect(
        await page
          .getByRole('list', { name: /^Starts/ })
          .getByRole('listitem')
          .count(),
      ).toBeGreaterThan(0);
    });
    const described = await printedBy('describe cronjob/tick');
    expect(described).toMatch(/^Coming starts:\n(?: +\S+T\d\d:\d0:00\.000Z +\S.*\n){5}Starts:\n/m);
    expect(described).toMatch(/^ +SCHEDULED +JOB +RESULT .*\n +2026-/m);
  });

  it('the page shows why a start of a CronJob did not happen', async () => {
    await expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'CronJobs', exact: true }));
      await click(page.getByRole('table').getByRole('link').first());
      const strip = page.getByRole('list', { name: /^Starts/ });
      await strip.waitFor();
      expect(await strip.getByRole('listitem').count()).toBe(4 + 5);
      expect(await strip.getByRole('img', { name: /^coming: .* Europe\/Berlin\)$/ }).count()).toBe(5);
      await strip.getByRole('link', { name: /succeeded, late$/ }).waitFor();
      await click(strip.getByRole('button', { name: /skipped; why\?$/ }));
      const status = page.getByRole('status');
      await status
        .getByText('the previous Job was still running, and Jobs of this CronJob may not overlap.')
        .waitFor();
      const legend = await page.getByRole('list', { name: 'Legend of the starts' }).innerText();
      for (const word of ['succeeded', 'skipped', 'the Job was not created', 'coming', 'late'])
        expect(legend).toContain(word);
    });
    expect(await printedBy('history cronjob/tick')).toMatch(
      /the start of 2026-03-01T12:\d0:00\S* waits for the running Job/,
    );
  });

  it('the page shows the ingester of each cluster, and the remedy for a cluster without an ingester', async () => {
    await expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Clusters', exact: true }));
      const cluster = page.getByRole('region', { name: /^Cluster / });
      const [partly, not] = [
        cluster.filter({ hasText: 'An ingester of this cluster is missing' }),
        cluster.filter({ hasText: 'No ingester leads this cluster' }),
      ];
      await partly.first().getByText('node-1', { exact: true }).waitFor();
      await partly
        .first()
        .getByText(/^since .*, version 0\.1\.0$/)
        .waitFor();
      await not.getByText(/^kubectl --namespace jobledger get pods/).waitFor();
      await page.getByRole('region', { name: 'Versions' }).getByText('Feature level').waitFor();
    });
    const clusters = await printedBy('clusters');
    expect(clusters).toMatch(/^NAME .* LEADER +INGESTER +JOBS RECEIVED +PODS RECEIVED +REACHED +JOBS /);
    expect(clusters).toMatch(/ node-1_7_1700000000000 - +0\.1\.0 +\S+ ago +\S+ ago /);
  });

  it('the page shows the clusters whose tables are behind, and their gaps', async () => {
    await expectInFewClicks(async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Clusters', exact: true }));
      await page.getByRole('list', { name: 'Parts of Jobledger' }).getByText('7 records behind').waitFor();
      await click(page.getByRole('button', { name: 'Show what was not seen' }).first());
      await page.locator('.gaps').first().waitFor();
    });
    const clusters = await printedBy('clusters');
    expect(clusters).toMatch(
      / GAPS +LAST GAP +LAST REQUEST +DEAD LETTERS\n.* [1-9]\d* +2026-\S+ to 2026-\S+ +not recorded +0\n/,
    );
    expect(clusters).toMatch(/^projection: +the tables are 7 records behind the ledger$/m);
  });

  it('the page suspends chosen Jobs after it has shown how many pods stop', async () => {
    await expectInFewClicks(async ({ page, click, search }) => {
      await search('waiting-job');
      await click(page.getByRole('checkbox', { name: 'Choose waiting-job' }));
      await click(page.getByRole('button', { name: 'Suspend 1', exact: true }));
      const dialog = page.getByRole('dialog', { name: 'Suspend 1 Jobs?' });
      await dialog.getByText(/^0 pods stop/).waitFor();
      await click(dialog.getByRole('button', { name: 'Suspend', exact: true }));
      await page.getByRole('region', { name: 'Chosen Jobs' }).waitFor({ state: 'detached' });
      expect(asked).toEqual(['suspend waiting-job']);
    }, OPERATOR);
    asked.length = 0;
    expect(await printedBy('suspend waiting-job slow-job', OPERATOR)).toMatch(
      /^east\/default\/waiting-job: suspend requested by operator; .*\neast\/default\/slow-job: suspend/,
    );
    expect(asked).toEqual(['suspend waiting-job', 'suspend slow-job']);
  });

  it('three key presses are enough to open the first Job', async () => {
    const { page, context } = await visit();
    await page.getByRole('table', { name: 'Jobs' }).waitFor();
    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    await context.close();
    // A user who does not know the key j can skip to the first Job by the first tab stop.
    const other = await visit();
    await other.page.getByRole('table', { name: 'Jobs' }).waitFor();
    for (const key of ['Tab', 'Enter', 'Enter']) await other.page.keyboard.press(key);
    expect(await other.page.getByRole('region', { name: 'What happened' }).innerText()).toMatch(/^The Job /);
    await other.context.close();
  });

  it.each(['light', 'dark'] as const)(
    'the page has no serious finding of axe-core when it shows an error or a skipped start, in %s',
    async (colorScheme) => {
      for (const width of [390, 1440]) {
        const options = { colorScheme, width, bypassCSP: true };
        const clusters = await visit({ ...options, search: '?view=clusters' });
        await clusters.page.getByText('Not watched').first().waitFor();
        await clusters.page.getByRole('region', { name: 'Versions' }).waitFor();
        expect(await seriousFindings(clusters.page)).toEqual([]);
        await clusters.context.close();
        const cronJob = await visit({ ...options, search: '?cluster=east&namespace=default&cronjob=tick' });
        await cronJob.page.getByRole('button', { name: /skipped; why\?$/ }).click();
        await cronJob.page.getByText('Jobs of this CronJob may not overlap.').waitFor();
        expect(await seriousFindings(cronJob.page)).toEqual([]);
        await cronJob.context.close();
      }
    },
  );

  it('the page breaks no rule of its content security policy', () => {
    expect(violations).toEqual([]);
  });
});
