import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { toSlug } from '../../infra/release/site/config.ts';

const FENCES = /^( *)(`{3,}).*?^\1\2$/gms;
const CODE = /`[^`\n]+`/g;
/** Links in a line, definitions of links, and pictures; not those to other hosts. */
const LINK = /\]\((?![a-z]+:)([^)\s]+)\)|^\[[^\]]+\]: (?![a-z]+:)(\S+)/gm;

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

/** The anchors of a page: of a heading that is repeated, with -1 and so on. */
function readAnchors(file: string): Set<string> {
  const anchors = new Set<string>();
  const text = readFileSync(file, 'utf8').replaceAll(FENCES, '');
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const slug = toSlug(heading);
    let anchor = slug;
    for (let repeated = 1; anchors.has(anchor); repeated += 1) anchor = `${slug}-${repeated}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with the links of a page; `exists` and `anchors` as of the repository. */
function deadLinksIn(file: string, text: string): string[] {
  const prose = text.replaceAll(FENCES, '').replaceAll(CODE, 'code');
  return [...prose.matchAll(LINK)].flatMap(([, inline, defined]) => {
    const link = inline ?? defined ?? '';
    const [target = '', anchor] = link.split('#');
    const meant = target === '' ? file : path.normalize(path.join(path.dirname(file), target));
    if (!existsSync(meant)) return [`${link}: no such file`];
    if (anchor === undefined || !meant.endsWith('.md')) return [];
    return readAnchors(meant).has(anchor) ? [] : [`${link}: no such heading`];
  });
}

describe('the links of the pages', () => {
  it('are collected from every page', () => {
    expect(pages.length).toBeGreaterThan(100);
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/guides/team-rights.md', 'SECURITY.md']));
  });

  it.each(pages)('lead to an existing target: %s', (file) => {
    expect(deadLinksIn(file, readFileSync(file, 'utf8'))).toEqual([]);
  });

  it('are reported when the target file or heading does not exist', () => {
    const text = [
      '[a](sql.md) [b](sql.md#questions) [c](#top) [d](../LICENSE)',
      '[e](nothing.md) [f](sql.md#nothing) `[g](nothing.md)`',
      '```md',
      '[h](nothing.md)',
      '```',
      '# Top',
      '[i]: gone.md',
    ].join('\n');
    expect(deadLinksIn('docs/api.md', text)).toEqual([
      '#top: no such heading',
      'nothing.md: no such file',
      'sql.md#nothing: no such heading',
      'gone.md: no such file',
    ]);
  });
});

/** The program files that a page names, such as `services/api/{main,reads}.ts`. */
function namedFiles(text: string): string[] {
  return Array.from(text.matchAll(/`([\w-]+\/[\w/-]*)(?:\{([\w,/-]+)\})?([\w/-]*\.tsx?)`/g)).flatMap(
    ([, folder = '', names = '', rest = '']) => names.split(',').map((name) => `${folder}${name}${rest}`),
  );
}

describe('the list of files on the architecture page', () => {
  it('contains only existing files', () => {
    const named = namedFiles(readFileSync('docs/architecture.md', 'utf8'));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('contains each name of a list in braces', () => {
    expect(namedFiles('`services/api/{main,a/reads}.ts` and `page/page.tsx`')).toEqual([
      'services/api/main.ts',
      'services/api/a/reads.ts',
      'page/page.tsx',
    ]);
  });
});
