import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserConfig } from 'vitepress';

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

export interface SidebarGroup {
  title: string;
  pages: readonly string[];
}

/** The page with the order of all other pages. */
const OVERVIEW = 'docs/overview.md';

/** The groups of the site's sidebar: the headings of docs/overview.md, each with the pages that it links, in that order. */
export function sidebar(text = readFileSync(OVERVIEW, 'utf8')): SidebarGroup[] {
  const sections = text.split(/^## /m).slice(1);
  return sections.map((section) => {
    const [title = ''] = section.split('\n');
    const links = Array.from(section.matchAll(/\]\(((?!\.\.)[^)#]+)\.md\)/g), ([, page = '']) => page);
    return { title, pages: [...new Set(links)].map((page) => page.replace(/README$/, 'index')) };
  });
}

/** The anchor of a heading, as on GitHub, so that a link works there and on the site. */
export function toSlug(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
