import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { startChromium } from '../support/chromium.ts';
import { failingFirst } from '../support/cluster.ts';
import { install, type Installation } from '../support/installation.ts';

// `npm run screenshots`: the pictures of docs/page.md and README.md, from a run on real servers that takes two minutes.
const PICTURES = join(PACKAGE_DIR, 'docs', 'pictures');
const SIZE = { width: 1280, height: 760 };

const installation = await install({
  api: true,
  environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '4000' },
});
try {
  await installation.startServices();
  await runJobs(installation);
  await takePictures(installation);
} finally {
  await installation.stop();
}

/** Jobs as a user has them: some succeed, some fail, one is suspended, and one is retried with back-offs. */
async function runJobs({ cluster }: Installation): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-screenshots-'));
  const flaky = failingFirst(3, folder);
  await cluster.createJob(
    'render-frames',
    { completionMode: 'Indexed', completions: 8, parallelism: 4, backoffLimit: 6 },
    { command: ['sh', '-c', `sleep $((JOB_COMPLETION_INDEX % 3 + 2)); ${flaky[2]}`] },
  );
  await cluster.createJob(
    'nightly-report',
    { backoffLimit: 1 },
    { command: ['sh', '-c', 'sleep 1; exit 7'] },
  );
  await cluster.createJob('import-orders', { completions: 3, parallelism: 3 }, { command: ['sleep', '3'] });
  await cluster.createJob('paused-export', { suspend: true }, {});
  await cluster.createJob('long-training', {}, { command: ['sleep', '600'] });
  for (const name of ['render-frames', 'nightly-report', 'import-orders']) await cluster.finished(name, 120);
}

async function takePictures({ api, cluster }: Installation): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const browser = await startChromium();
  const page = await browser.newPage({ viewport: SIZE, timezoneId: 'UTC' });
  const open = async (search: string): Promise<void> => void (await page.goto(`${api.url}/ui/${search}`));
  await page.addInitScript(`sessionStorage.setItem('jobledger-token', '${api.token}')`);
  await open('');
  await page.getByRole('link', { name: 'render-frames' }).waitFor();
  await picture(page, 'fleet');
  const { uid } = (await cluster.job('render-frames'))?.metadata ?? {};
  const job = `?cluster=local&namespace=${cluster.namespace}&job=render-frames&uid=${uid}`;
  await open(job);
  await page.getByRole('heading', { name: 'Status' }).waitFor();
  await picture(page, 'job');
  // The first pod of this index failed; this one is its replacement.
  await page
    .getByRole('button', { name: /^why render-frames-0-/ })
    .first()
    .click();
  await page.getByText('Causes, from the latest').scrollIntoViewIfNeeded();
  await picture(page, 'why');
  await open(`${job}&set=backoffLimit%3D1`);
  await page.getByText('It would have ended differently.').scrollIntoViewIfNeeded();
  await picture(page, 'what-if');
  await open('?view=what-if&set=backoffLimit%3D0');
  await page.getByRole('cell', { name: 'different', exact: true }).first().waitFor();
  await picture(page, 'what-if-of-jobs');
  await open('?view=submit');
  await page.getByRole('textbox', { name: 'Manifest' }).waitFor();
  await picture(page, 'submit');
  await browser.close();
}

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}
