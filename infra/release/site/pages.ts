import { readdirSync, readFileSync, statSync } from 'node:fs';
import path, { join } from 'node:path';

/** The address of repository files that are not on the site. */
const SOURCE = 'https://github.com/jobledger/jobledger/blob/main';

const LINK = /(\]\(|^\[[^\]]+\]: )(?![a-z]+:|#)([^)\s#]+)/gm;
const CODE = /^( *)(`{3,}).*?^\1\2$|`[^`\n]+`/gms;

/** The pages of docs/ and the README as pages of the site, and the pictures of docs/, by their paths on the site. */
export function sitePages(root: string): Map<string, string | Buffer> {
  const files = ['README.md', ...filesBelow(join(root, 'docs')).map((file) => path.relative(root, file))];
  return new Map(
    files
      .filter((file) => /\.(md|png)$/.test(file))
      .map((file) => [
        sitePath(file),
        file.endsWith('.md')
          ? withSiteLinks(readFileSync(join(root, file), 'utf8'), file)
          : readFileSync(join(root, file)),
      ]),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((file) => (statSync(file).isDirectory() ? filesBelow(file) : [file]));
}

/** The path of a repository file on the site, such as `decisions/index.md` for `docs/decisions/README.md`. */
function sitePath(file: string): string {
  return file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/**
 * A page whose links lead to pages of the site, or to the repository. `file` is the path of the page in the
 * repository.
 */
export function withSiteLinks(text: string, file: string): string {
  const code: string[] = [];
  const prose = text.replaceAll(CODE, (block) => `\0${code.push(block) - 1}\0`);
  const linked = prose.replaceAll(
    LINK,
    (_all, before: string, target: string) => `${before}${siteTarget(target, file)}`,
  );
  return linked.replaceAll(/\0(\d+)\0/g, (_all, at: string) => code[Number(at)] ?? '');
}

function siteTarget(target: string, file: string): string {
  const meant = path.normalize(join(path.dirname(file), target));
  const isPage = meant === 'README.md' || (meant.startsWith('docs/') && /\.(md|png)$/.test(meant));
  if (!isPage) return `${SOURCE}/${meant.replace(/\/$/, '')}`;
  const to = path.relative(path.dirname(sitePath(file)), sitePath(meant));
  return to.startsWith('.') ? to : `./${to}`;
}
