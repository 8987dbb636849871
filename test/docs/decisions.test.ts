import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

const FOLDER = join(PACKAGE_DIR, 'docs', 'decisions');

describe('the list of pages in docs/decisions', () => {
  it('has each page once, in the order of the numbers', () => {
    const pages = readdirSync(FOLDER).filter((file) => /^\d{4}-/.test(file));
    const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const rows = Array.from(list.matchAll(/^\| \[(\d+)\]\((\S+)\)/gm), ([, number = '', page]) => ({
      number: number.padStart(4, '0'),
      page,
    }));
    expect(rows).toEqual(pages.toSorted().map((page) => ({ number: page.slice(0, 4), page })));
  });
});
