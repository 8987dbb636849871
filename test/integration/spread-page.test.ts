import { beforeAll, expect, it, jest } from '@jest/globals';
import { aSpreadLife } from '../projector/a-spread-life.ts';
import { at } from '../support/builders.ts';
import { seriousFindings } from '../support/axe.ts';
import { inChromium, pageInBrowser } from '../support/page-in-browser.ts';

jest.setTimeout(120_000);

const served = pageInBrowser();
const { visit, violations } = served;

const SEARCH = '?cluster=east&namespace=team&job=pi&uid=home-uid';

beforeAll(() =>
  served.start(async () => {
    await served.project(aSpreadLife().events);
    return { ask: () => Promise.reject(new Error('nothing is asked for here')) };
  }),
);

inChromium('in Chromium, the page of a Job in several clusters', () => {
  it('the page of a spread Job has a row for each member, and shows the lanes of each cluster below its former indexes', async () => {
    const { page, context } = await visit({ search: SEARCH, bypassCSP: true });
    const members = page.getByRole('region', { name: 'Table of placements' });
    const cells = async (): Promise<string[][]> =>
      Promise.all(
        (await members.locator('tbody tr').all()).map((row) => row.locator('th, td').allTextContents()),
      );
    await members.getByText('0,1').waitFor();
    expect((await cells()).map((row) => row.slice(0, 7))).toEqual([
      ['west', 'pi', 'Running', '0,1', '1', '0', '0'],
      ['north', 'pi-m2', 'Running', '2-5', '2', '0', '0'],
    ]);
    const axis = page.getByRole('region', { name: /^Time axis/ });
    expect(await axis.locator('.lanes .label').allTextContents()).toEqual([
      'north',
      'index 2',
      'index 4',
      'index 5',
      'west',
      'index 0',
    ]);
    await axis.getByRole('img', { name: 'west had the indexes 0-3, then 0,1' }).waitFor();
    await axis.getByRole('img', { name: 'north had the indexes 4,5, then 2-5' }).waitFor();
    await context.close();
  });

  it('the page of a spread Job shows the members as they were at an instant', async () => {
    const { page, context } = await visit({ search: `${SEARCH}&at=${at(10)}` });
    const members = page.getByRole('region', { name: 'Table of placements' });
    await members.getByText('0-3').waitFor();
    expect(await members.getByText('4,5').count()).toBe(1);
    await page.getByRole('img', { name: 'west had the indexes 0-3', exact: true }).waitFor();
    await context.close();
  });

  it('the page of a spread Job leads from a pod of a member to the reasons why the pod was created', async () => {
    const { page, context } = await visit({ search: SEARCH });
    await page.getByRole('tab', { name: /^Pods/ }).click();
    const pods = page.getByRole('region', { name: 'Table of pods' });
    await pods.getByRole('row').nth(4).waitFor();
    expect(await pods.getByRole('row').count()).toBe(5);
    expect(await pods.getByRole('columnheader', { name: 'Cluster' }).count()).toBe(1);
    await pods.getByRole('button', { name: /^why pi-m2-4/ }).click();
    await page.getByRole('heading', { name: /^Why pi-m2-4/ }).waitFor();
    await page.locator('.why .answers').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await context.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'the page of a spread Job has no serious finding of axe-core in %s colours, nor horizontal scrolling at %s pixels',
    async (colorScheme, width) => {
      const { page, context } = await visit({ search: SEARCH, colorScheme, width, bypassCSP: true });
      await page.locator('.share').first().waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await context.close();
    },
  );

  it('the page of a spread Job breaks no rule of its content security policy', () => {
    expect(violations).toEqual([]);
  });
});
