import { readFileSync, writeFileSync } from 'node:fs';
import { contract, CONTRACT_FILE, contractText } from './contract.ts';
import { meaningsIn, NAMES_FILE, NAMES_PAGE, namesIn, pageWithNames, findProblems } from './names.ts';

// `npm run contract`: writes docs/contract.txt and the names of docs/vocabulary.md. --check, part of `npm run check`, compares.
const entries = await contract();
const names = namesIn(entries);
const meanings = meaningsIn(readFileSync(NAMES_FILE, 'utf8'));
const problems = findProblems(names, meanings);
const files = [
  { file: CONTRACT_FILE, text: contractText(entries) },
  { file: NAMES_PAGE, text: pageWithNames(readFileSync(NAMES_PAGE, 'utf8'), names, meanings) },
];
for (const { file, text } of files)
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (text !== readFileSync(file, 'utf8'))
    problems.push(`${file} does not have the contract of the code: run "npm run contract"`);
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
process.stdout.write(`contract: ${entries.length} entries, ${names.length} names\n`);
