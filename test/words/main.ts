import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { privateWordsIn, typesExportedTwice, type SourceText } from './words.ts';

// `npm run words`: fails when a private word is used, or when two files export types of one name.

/** Code and pages that people read. Frozen cores, decisions and migrations are history and keep their texts. */
const READ =
  /^(workflows|services|cli|infra|demo|page)\/.*\.tsx?$|^(README|CONTRIBUTING)\.md$|^docs\/[^/]*\.md$/;
const CODE = /^(workflows|services|cli|infra|demo|page)\/.*\.tsx?$/;

const sources: SourceText[] = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => READ.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const findings = [
  ...sources.flatMap(privateWordsIn),
  ...typesExportedTwice(sources.filter(({ file }) => CODE.test(file))),
];
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.stdout.write(`words: ${sources.length} files read, ${findings.length} findings\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
