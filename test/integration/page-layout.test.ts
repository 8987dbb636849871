import { beforeAll, expect, it, jest } from '@jest/globals';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { seriousFindings } from '../support/axe.ts';
import { eventually } from '../support/eventually.ts';
import { NO_OVERRIDES } from '../support/no-overrides.ts';
import { inChromium, pageInBrowser } from '../support/page-in-browser.ts';
import { fillWithStory, searchFor, type Story } from '../support/page-story.ts';

jest.setTimeout(120_000);

/** The first load of the page must be smaller, in compressed bytes. */
const MOST_BYTES = 300_000;

let story: Story;

const served = pageInBrowser();
const { visit } = served;

beforeAll(() =>
  served.start(async () => {
    story = await fillWithStory(served);
    return {
      ask: () => Promise.reject(new Error('nothing is asked for here')),
      clusters: [],
      overrides: NO_OVERRIDES,
    };
  }),
);

const searchOfStory = (more = ''): string => searchFor(story, more);

inChromium('the layout of the page in Chromium', () => {
  it('the page scrolls through all Jobs with only a few rows in the document', async () => {
    const { page, context } = await visit();
    const [total] = await served.postgres.database.run<{ count: string }>(
      sql`select count(*) from jobledger.jobs where not member`,
    );
    expect(Number(total?.count)).toBeGreaterThan(200);
    await page.getByRole('link').first().waitFor();
    await eventually('the last Job is loaded', 30, async () => {
      await page.keyboard.press('End');
      const rows = await page.getByRole('table').getAttribute('aria-rowcount');
      return Number(rows) - 1 === Number(total?.count) ? true : undefined;
    });
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await context.close();
  });

  it.each([390, 899, 1280, 2560])(
    'the page needs no horizontal scrolling at a width of %s pixels',
    async (width) => {
      for (const search of [
        '',
        searchOfStory(),
        searchOfStory('&tab=why'),
        '?view=clusters',
        '?view=what-if',
      ]) {
        const { page, context } = await visit({ search, width });
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('.loading').waitFor({ state: 'detached' });
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        const burger = page.getByRole('button', { name: 'Navigation' });
        expect(await burger.isVisible()).toBe(width < 900);
        if (width < 900) await burger.click();
        await page.getByRole('link', { name: 'CronJobs', exact: true }).waitFor();
        await context.close();
      }
    },
  );

  it('the page remembers the chosen colours', async () => {
    const { page, context } = await visit();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.reload();
    await page.getByRole('table').waitFor();
    const ground = (await page.evaluate('getComputedStyle(document.body).backgroundColor')) as string;
    expect(ground).toBe('rgb(15, 19, 25)');
    await context.close();
  });

  it('the page lets a user zoom and move the time axis by keyboard', async () => {
    const { page, context } = await visit({ search: searchOfStory() });
    const axis = page.getByRole('region', { name: /^Time axis/ });
    await axis.focus();
    const ticks = (): Promise<string[]> => axis.locator('.tick').allTextContents();
    const before = await ticks();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    const moved = await eventually('the axis is another', 10, async () => {
      const now = await ticks();
      return now.join() === before.join() ? undefined : now;
    });
    await page.keyboard.press('0');
    const last = await eventually('the axis is another again', 10, async () => {
      const now = await ticks();
      return now.join() === moved.join() ? undefined : now;
    });
    expect(last).toEqual(before);
    await context.close();
  });

  it.each(['light', 'dark'] as const)(
    'the page has no serious finding of axe-core, in %s',
    async (colorScheme) => {
      const options = { colorScheme, bypassCSP: true };
      const signIn = await visit({ ...options, token: null });
      await signIn.page.getByLabel('Token of the API').waitFor();
      expect(await seriousFindings(signIn.page)).toEqual([]);
      await signIn.context.close();
      const fleet = await visit(options);
      await fleet.page.getByText('live', { exact: true }).waitFor();
      await fleet.page.getByRole('link').first().waitFor();
      expect(await seriousFindings(fleet.page)).toEqual([]);
      await fleet.context.close();
      const job = await visit({
        ...options,
        search: searchOfStory(`&set=backoffLimit%3D0`),
      });
      await job.page.getByText('The Job would have ended differently.').waitFor();
      expect(await seriousFindings(job.page)).toEqual([]);
      for (const tab of ['Time', /^Pods/, 'Why', /^Decisions/, /^Conditions/, 'Manifest']) {
        await job.page.getByRole('tab', { name: tab }).click();
        await job.page.getByRole('tabpanel').locator('section').first().waitFor();
        await job.page.locator('.loading').waitFor({ state: 'detached' });
        expect(await seriousFindings(job.page)).toEqual([]);
      }
      await job.context.close();
      for (const search of ['?view=clusters', '?view=cron-jobs']) {
        const other = await visit({ ...options, search });
        await other.page.getByRole('heading', { level: 1 }).waitFor();
        await other.page.locator('.loading').waitFor({ state: 'detached' });
        expect(await seriousFindings(other.page)).toEqual([]);
        await other.context.close();
      }
    },
  );

  it('the page loads less than 300 kB for its first view', async () => {
    const { context, page } = await visit();
    await page.getByRole('table').waitFor();
    const sizes = (await page.evaluate(
      "performance.getEntries().filter(({ name }) => name.includes('/ui/')).map(({ encodedBodySize }) => encodedBodySize)",
    )) as number[];
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
    await context.close();
  });
});
