import { readCitations } from './citations.ts';
import { paragraphs, summary, unknown, untested } from './report.ts';
import { readRules } from './rules.ts';

// `npm run rules`: each rule of docs/rules.md with the tests and the code that name it, and what is wrong between them.
// With --check only that: part of `npm run check`.
const rules = readRules();
const citations = readCitations();
const wrong = unknown(rules, citations);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (!process.argv.includes('--check')) for (const each of paragraphs(rules, citations)) say(each);
const missing = untested(rules, citations);
for (const finding of process.argv.includes('--check') ? wrong : [...wrong, ...missing]) say(finding);
say(summary(rules, citations));
process.exitCode = wrong.length === 0 ? 0 : 1;
