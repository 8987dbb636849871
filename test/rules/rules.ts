import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

/** A row of docs/rules.md. */
export interface Rule {
  id: string;
  about: string;
  /** Why no test names it; empty for a rule that applies. */
  leftOut: string;
}

const ROW = /^\| *((?:J-\w+\.\d+|[DB]-\d+)(?: to (?:J-\w+\.\d+|[DB]-\d+))?) *\|([^|]*)\|([^|]*)\|$/;

/** All rules in the order of the page; a row of several (`D-1 to D-25`) is expanded. */
export function readRules(
  page = readFileSync(join(PACKAGE_DIR, 'docs', 'rules.md'), 'utf8'),
): Map<string, Rule> {
  const rows = page.split('\n').flatMap((line) => {
    const [row, ids = '', about = '', leftOut = ''] = ROW.exec(line) ?? [];
    return row === undefined ? [] : [{ ids, about: about.trim(), leftOut: leftOut.trim() }];
  });
  return new Map(
    rows.flatMap(({ ids, about, leftOut }) => ruleIds(ids).map((id) => [id, { id, about, leftOut }])),
  );
}

/** `J-5.1 to J-5.3`: those three. */
export function ruleIds(message: string): string[] {
  const [first = '', last = first] = message.split(' to ');
  const [, series, from] = /^(.*?)(\d+)$/.exec(first) ?? [];
  const [, , to] = /^(.*?)(\d+)$/.exec(last) ?? [];
  const count = Number(to) - Number(from) + 1;
  return Array.from({ length: count }, (_none, at) => `${series}${Number(from) + at}`);
}
