import { readFileSync } from 'node:fs';

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
