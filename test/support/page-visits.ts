import type { Browser, BrowserContext, Page } from 'playwright-core';
import { TOKEN } from './page-api.ts';

export interface Visit {
  /** The query of the page's address. */
  search?: string;
  token?: string | null;
  colorScheme?: 'light' | 'dark';
  /** For what the test itself runs in the page. */
  bypassCSP?: boolean;
  width?: number;
}

/** Visits of the page, each in a browser without any memory. */
export interface PageVisits {
  visit(how?: Visit): Promise<{ page: Page; context: BrowserContext }>;
  /** The forbidden actions of the page. */
  violations: string[];
  /** The requests of the page to servers other than the API. */
  elsewhere: string[];
}

/** `url`: asked for at each visit, since tests make it later. */
export function pageVisits(browser: () => Browser, url: () => string): PageVisits {
  const violations: string[] = [];
  const elsewhere: string[] = [];
  return {
    violations,
    elsewhere,
    async visit({ search = '', token = TOKEN, colorScheme = 'light', bypassCSP = false, width = 1280 } = {}) {
      const viewport = { width, height: 800 };
      const context = await browser().newContext({ colorScheme, bypassCSP, viewport });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on('request', (request) => {
        if (!request.url().startsWith(`${url()}/`)) elsewhere.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error' && /Content Security Policy|TrustedHTML/.test(message.text()))
          violations.push(message.text());
      });
      page.on('pageerror', (error) => violations.push(String(error)));
      page.on('dialog', (dialog) => violations.push(dialog.message()));
      if (token !== null) await page.addInitScript(`sessionStorage.setItem('jobledger-token', '${token}')`);
      await page.goto(`${url()}/ui/${search}`);
      return { page, context };
    },
  };
}
