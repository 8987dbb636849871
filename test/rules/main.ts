import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { NOT_APPLICABLE } from '../job/decide/decision-table.ts';
import { readCitations } from './citations.ts';
import { paragraphs, summary, unknown, untested } from './report.ts';
import { readRules } from './rules.ts';
import { RULE_TYPE_FILE, ruleTypeText } from './rule-type.ts';

// `npm run rules`: each rule of docs/rules.md with the tests and the code that name it, or why it is left out.
// --check, part of `npm run check`, prints errors only: an unknown rule, or an applicable one that no test names.
// --write generates the type of the rules that decisions may name.
const rules = readRules();
const ruleType = { file: join(PACKAGE_DIR, RULE_TYPE_FILE), text: ruleTypeText(rules) };
if (process.argv.includes('--write')) writeFileSync(ruleType.file, ruleType.text);
for (const [id, leftOut] of Object.entries(NOT_APPLICABLE))
  rules.set(id, { id, about: rules.get(id)?.about ?? '', leftOut });
const citations = readCitations();
const isCheck = process.argv.includes('--check');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (!isCheck) for (const each of paragraphs(rules, citations)) say(each);
const isStale = readFileSync(ruleType.file, 'utf8') !== ruleType.text;
const findings = [
  ...unknown(rules, citations),
  ...untested(rules, citations),
  ...(isStale ? [`${RULE_TYPE_FILE} is not made from docs/rules.md: run "npm run rules -- --write"`] : []),
];
for (const finding of findings) say(finding);
say(summary(rules, citations));
const rows = [...rules.values()].filter(({ id }) => id.startsWith('D-'));
const left = rows.filter(({ leftOut }) => leftOut !== '').length;
say(`decision table: ${rows.length - left} rows are run, ${left} do not apply`);
process.exitCode = findings.length === 0 ? 0 : 1;
