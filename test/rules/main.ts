import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { NOT_APPLICABLE } from '../job/decide/decision-table.ts';
import { readCitations } from './citations.ts';
import { CONFORMANCE_PAGE, conformancePage, headingsIn } from './conformance.ts';
import { paragraphs, summary, unknown, untested } from './report.ts';
import { readRules } from './rules.ts';
import { RULE_TYPE_FILE, ruleTypeText } from './rule-type.ts';

// `npm run rules`: each rule of docs/rules.md with the tests and the code that name it, or why it is left out.
// --check, part of `npm run check`, prints errors only: an unknown rule, or an applicable one that no test names.
// --write generates the type of the rules that decisions may name, and docs/conformance.md.
const rules = readRules();
const ruleType = { file: join(PACKAGE_DIR, RULE_TYPE_FILE), text: ruleTypeText(rules) };
for (const [id, leftOut] of Object.entries(NOT_APPLICABLE))
  rules.set(id, { id, about: rules.get(id)?.about ?? '', leftOut });
const citations = readCitations();
const headings = headingsIn(readFileSync(join(PACKAGE_DIR, 'docs', 'rules.md'), 'utf8'));
const conformance = {
  file: join(PACKAGE_DIR, CONFORMANCE_PAGE),
  text: conformancePage(rules, citations, headings),
};
const generated = [ruleType, conformance];
if (process.argv.includes('--write')) for (const { file, text } of generated) writeFileSync(file, text);
const isCheck = process.argv.includes('--check');
const report = (line: string): void => void process.stdout.write(`${line}\n`);

if (!isCheck) for (const each of paragraphs(rules, citations)) report(each);
const stale = generated.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
const findings = [
  ...unknown(rules, citations),
  ...untested(rules, citations),
  ...stale.map(
    ({ file }) =>
      `${relative(PACKAGE_DIR, file)} is not made from docs/rules.md: run "npm run rules -- --write"`,
  ),
];
for (const finding of findings) report(finding);
report(summary(rules, citations));
const rows = [...rules.values()].filter(({ id }) => id.startsWith('D-'));
const left = rows.filter(({ leftOut }) => leftOut !== '').length;
report(`decision table: ${rows.length - left} rows are run, ${left} do not apply`);
process.exitCode = findings.length === 0 ? 0 : 1;
