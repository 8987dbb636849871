import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserConfig } from 'vitepress';
import { sidebar } from './sidebar.ts';
import { toSlug } from './slug.ts';

/**
 * The configuration of VitePress for the pages in `folder`. A link to a page that does not exist makes the build fail.
 */
export function siteConfig(folder: string, base: string): UserConfig {
  const readTitle = (page: string): string =>
    /^# (.*)$/m.exec(readFileSync(join(folder, `${page}.md`), 'utf8'))?.[1] ?? page;
  return {
    title: 'Jobledger',
    description: 'A Job controller for Kubernetes that records everything',
    base,
    lang: 'en',
    outDir: join(folder, '..', 'site'),
    markdown: { anchor: { slugify: toSlug } },
    vite: { build: { target: 'es2022', chunkSizeWarningLimit: 5000 } },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [
        { text: 'All pages', link: '/overview' },
        { text: 'Source', link: 'https://github.com/jobledger/jobledger' },
      ],
      sidebar: sidebar().map(({ title, pages }) => ({
        text: title,
        collapsed: false,
        items: pages.map((page) => ({ text: readTitle(page), link: `/${page}` })),
      })),
    },
  };
}
