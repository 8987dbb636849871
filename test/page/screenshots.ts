import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { PodSpec } from '../../workflows/kubernetes/objects.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { startChromium } from '../support/chromium.ts';
import { failingFirst } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { withFewerColours } from './fewer-colours.ts';
import { DIGEST_FILE, pageDigest } from './page-digest.ts';

// `npm run screenshots`: the pictures of docs/page.md and README.md, from a run on real servers that takes three minutes.
const PICTURES = process.env['JOBLEDGER_PICTURES'] ?? join(PACKAGE_DIR, 'docs', 'pictures');
const SIZE = { width: 1280, height: 800 };

const installation = await install({
  api: true,
  claim: 'all',
  clusters: [
    {
      name: 'local',
      builtInJobController: false,
      builtInTtlController: false,
      builtInCronJobController: false,
    },
  ],
  environment: {
    JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl',
    JOBLEDGER_POD_FAILURE_BACKOFF_MS: '4000',
    JOBLEDGER_LOG_URL: 'https://logs.example/{cluster}/{namespace}?pod={pod}&from={from_ms}',
  },
});
try {
  await installation.startServices();
  await runJobs(installation);
  await takePictures(installation);
  if (PICTURES.startsWith(PACKAGE_DIR))
    writeFileSync(join(PICTURES, DIGEST_FILE), `${pageDigest(PACKAGE_DIR)}\n`);
} finally {
  await installation.stop();
}

/** Jobs as a user has them: some succeed, some fail, one is suspended, one is tried again with back-offs, one cannot start. */
async function runJobs({ cluster }: Installation): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-screenshots-'));
  const flaky = failingFirst(3, folder);
  const cronJobs = connectCronJobs(() => installation);
  const nightly = await cronJobs.create('nightly-report', { schedule: '* * * * *' }, [
    'sh',
    '-c',
    'sleep 2; exit $(($(date +%s) / 60 % 2 * 3))',
  ]);
  await cronJobs.create('weekly-cleanup', { schedule: '0 4 * * 0', suspend: true }, ['true']);
  await cluster.createJob(
    'render-frames',
    { completionMode: 'Indexed', completions: 8, parallelism: 4, backoffLimit: 6 },
    running('media/render:2.4', `sleep $((JOB_COMPLETION_INDEX % 3 + 2)); ${flaky[2]}`),
  );
  await cluster.createJob(
    'train-embeddings',
    { completionMode: 'Indexed', completions: 6, parallelism: 3, backoffLimit: 3 },
    running(
      'ml/train:1.9',
      'sleep $((JOB_COMPLETION_INDEX + 1)); test $JOB_COMPLETION_INDEX -ne 3 || exit 137',
    ),
  );
  await cluster.createJob(
    'migrate-users',
    { backoffLimit: 1 },
    running('shop/migrate:88', 'sleep 1; exit 7'),
  );
  await cluster.createJob(
    'import-orders',
    { completions: 3, parallelism: 3 },
    running('shop/import:12', 'sleep 3'),
  );
  await cluster.createJob('paused-export', { suspend: true }, {});
  await cluster.createJob(
    'long-training',
    { completions: 4, parallelism: 4 },
    running('ml/train:1.9', 'sleep 600'),
  );
  for (const name of ['render-frames', 'migrate-users', 'import-orders', 'train-embeddings'])
    await cluster.finished(name, 120);
  await cluster.createJob('sync-catalog', { backoffLimit: 6 }, running('shop/catalog:3', 'sleep 1; exit 3'));
  await cronJobs.jobsWhere(nightly, 'has started twice', (jobs) => jobs.length >= 2, 150);
}

/** The pod of a Job with an image as users have them. */
function running(image: string, script: string): Pick<PodSpec, 'containers'> {
  const resources = { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } };
  const main = { name: 'main', image: `registry.example/${image}`, command: ['sh', '-c', script], resources };
  return { containers: [main] };
}

async function takePictures({ api, cluster }: Installation): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const browser = await startChromium();
  const page = await aPage(browser, 'light', api.token);
  const open = async (search: string): Promise<void> => void (await page.goto(`${api.url}/ui/${search}`));
  await open('');
  await page.getByRole('link', { name: 'render-frames' }).waitFor();
  await page.getByRole('img', { name: /gaps$/ }).waitFor();
  await eventually('the Jobs are counted', 20, async () =>
    /\d/.test(await page.getByRole('button', { name: /^Failed/ }).innerText()) ? true : undefined,
  );
  await picture(page, 'fleet');
  const dark = await aPage(browser, 'dark', api.token);
  await dark.goto(`${api.url}/ui/`);
  await dark.getByRole('link', { name: 'render-frames' }).waitFor();
  await dark.getByRole('img', { name: /gaps$/ }).waitFor();
  await eventually('the Jobs are counted', 20, async () =>
    /\d/.test(await dark.getByRole('button', { name: /^Failed/ }).innerText()) ? true : undefined,
  );
  await picture(dark, 'fleet-dark');
  const jobAddress = async (name: string): Promise<string> => {
    const { uid } = (await cluster.job(name))?.metadata ?? {};
    return `?cluster=local&namespace=${cluster.namespace}&job=${name}&uid=${uid}`;
  };
  const job = await jobAddress('render-frames');
  await open(job);
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  await picture(page, 'job');
  await open(`${await jobAddress('train-embeddings')}&tab=why`);
  await page.getByRole('button', { name: /^(The Job must fail|Job failed)/ }).waitFor();
  await picture(page, 'why');
  await open(`${job}&set=backoffLimit%3D1`);
  await page.getByText('The Job would have ended differently.').waitFor();
  await picture(page, 'what-if');
  await open('?view=what-if&set=backoffLimit%3D0');
  await page.getByRole('cell', { name: 'different', exact: true }).first().waitFor();
  await picture(page, 'what-if-of-jobs');
  await open(`?cluster=local&namespace=${cluster.namespace}&cronjob=nightly-report`);
  await page.getByRole('list', { name: /^Starts/ }).waitFor();
  await picture(page, 'cron-job');
  await open('?view=clusters');
  await page.getByRole('heading', { name: 'local' }).waitFor();
  await page.getByText('Reached', { exact: true }).waitFor();
  await picture(page, 'clusters');
  await open('?view=submit');
  await page.getByRole('textbox', { name: 'Manifest' }).waitFor();
  await picture(page, 'submit');
  await browser.close();
}

async function aPage(browser: Browser, colorScheme: 'light' | 'dark', token: string): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZE, timezoneId: 'UTC', colorScheme });
  await page.addInitScript(`sessionStorage.setItem('jobledger-token', '${token}')`);
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => true)');
  const taken = await page.screenshot({ animations: 'disabled' });
  writeFileSync(join(PICTURES, `${name}.png`), withFewerColours(taken));
}
