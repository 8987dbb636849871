import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { seriousFindings } from './axe.ts';

/** Takes pictures of a page in every width and theme, and checks each with axe-core. */
export interface TaskPictures {
  take(page: Page, title: string): Promise<void>;
}

const LOOKS = [
  ...[390, 900, 1440].flatMap((width) => [
    { width, colorScheme: 'light' as const },
    { width, colorScheme: 'dark' as const },
  ]),
  { width: 2560, colorScheme: 'light' as const },
];

/** Pictures into the folder that JOBLEDGER_TASK_PICTURES names; null without it. */
export function taskPictures(): TaskPictures | null {
  const folder = process.env['JOBLEDGER_TASK_PICTURES'] ?? '';
  if (folder === '') return null;
  mkdirSync(folder, { recursive: true });
  return {
    async take(page, title) {
      const name = title.replaceAll(/\W+/g, '-').slice(0, 80);
      const findings: string[] = [];
      for (const { width, colorScheme } of LOOKS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.evaluate('document.fonts.ready.then(() => true)');
        const path = join(folder, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, animations: 'disabled', fullPage: true });
        const found = await seriousFindings(page);
        findings.push(...found.map((finding) => `${width} ${colorScheme}: ${finding}`));
      }
      expect(findings).toEqual([]);
    },
  };
}
