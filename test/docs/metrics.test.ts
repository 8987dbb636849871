import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

const PREFIX = 'job_controller_';

/** Metrics of the Prometheus client and of Temporal's. */
const OF_LIBRARIES = /^(?:process|nodejs|temporal)_/;

/** Name and labels of each metric of the contract, without the prefix of the built-in controller. */
const CONTRACT = page('contract.txt')
  .matchAll(/^(?:counter|gauge|histogram) (\w+)(?:\{([^}]*)\})?$/gm)
  .map(([, name = '', labels = '']) => ({
    name: name.replace(new RegExp(`^${PREFIX}`), ''),
    labels: labels === '' ? [] : labels.split(', '),
  }))
  .toArray();

/** The rows of the tables of docs/metrics.md, with the texts in backticks of the first two cells. */
const ROWS = ownSections()
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, 3)
      .map(quoted),
  )
  .map(([names = [], labels = []]) => ({ names, labels: labels.map((label) => label.replace(/=.*/, '')) }));

/** The last section lists metrics that only the built-in controller has. */
function ownSections(): string {
  return page('metrics.md').split('## Upstream metrics that are missing')[0] ?? '';
}

function page(name: string): string {
  return readFileSync(join(PACKAGE_DIR, 'docs', name), 'utf8');
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

describe('docs/metrics.md', () => {
  it.each(CONTRACT)('lists $name with its labels $labels', ({ name, labels }) => {
    const row = ROWS.find(({ names }) => names.includes(name));
    expect(row?.labels).toEqual(expect.arrayContaining(labels));
  });

  it('lists no metric that no service makes', () => {
    const made = new Set(CONTRACT.map(({ name }) => name));
    const listed = ROWS.flatMap(({ names }) => names);
    expect(listed.filter((name) => !made.has(name) && !OF_LIBRARIES.test(name))).toEqual([]);
  });
});
