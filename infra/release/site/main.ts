import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vitepress';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { sitePages } from './pages.ts';

/**
 * `npm run site [-- --base /jobledger/]` writes the README and docs/ as a site to build/site. Fails when a page links
 * to a missing page. `--base` is the path below which the site is served.
 */
const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } });

const folder = join(PACKAGE_DIR, 'build', 'site-pages');
rmSync(folder, { recursive: true, force: true });
const pages = sitePages(PACKAGE_DIR);
for (const [place, content] of pages) {
  mkdirSync(dirname(join(folder, place)), { recursive: true });
  writeFileSync(join(folder, place), content);
}
mkdirSync(join(folder, '.vitepress'));
writeFileSync(
  join(folder, '.vitepress', 'config.mjs'),
  `import { siteConfig } from '../../../infra/release/site/config.ts';\nexport default siteConfig(${JSON.stringify(folder)}, ${JSON.stringify(values.base)});\n`,
);
await build(folder);
process.stdout.write(`build/site: ${pages.size} pages and pictures\n`);
