import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COLUMNS_PAGE } from '../docs/columns.ts';
import { sentencesIn } from './prose.ts';
import { drawSample } from './sample.ts';
import { turnsOfPhraseIn } from './turns-of-phrase.ts';
import { privateWordsIn, typesExportedTwice, type SourceText } from './words.ts';

/**
 * `npm run words`: fails when a private word or a German turn of phrase is used, or when two files export types of one name.
 * `npm run words -- --sample SEED` prints twenty sentences each of docs, comments, help and messages, for a person to judge.
 */
const { values } = parseArgs({ options: { sample: { type: 'string' } } });

/** Code and pages that people read. Frozen cores, decisions and migrations are history and keep their texts. */
const READ =
  /^(workflows|services|cli|infra|demo|page)\/.*\.tsx?$|^(README|CONTRIBUTING)\.md$|^docs\/(?:[^/]*|operate\/[^/]*)\.md$/;
const CODE = /^(workflows|services|cli|infra|demo|page)\/.*\.tsx?$/;
const PAGES = /^(docs|infra)\/.*\.md$|^(README|CONTRIBUTING|SECURITY|CHANGELOG)\.md$/;
/** The core's messages are recorded, and change only with the next core. */
const CORE = /^workflows\/(?:job|cron-job|placement)\//;

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const readTexts = (pattern: RegExp): SourceText[] =>
  files
    // The comments of columns are from migrations.
    .filter((file) => pattern.test(file) && file !== COLUMNS_PAGE)
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const sentences = [...readTexts(PAGES), ...readTexts(CODE)].flatMap(sentencesIn);

if (values.sample === undefined) check();
else
  for (const { place, file, line, text } of drawSample(sentences, Number(values.sample)))
    process.stdout.write(`${place} ${file}:${line}\n  ${text}\n`);

function check(): void {
  const sources = readTexts(READ);
  const findings = [
    ...sources.flatMap(privateWordsIn),
    ...sentences
      .filter(({ file, place }) => place !== 'messages' || !CORE.test(file))
      .flatMap(turnsOfPhraseIn),
    ...typesExportedTwice(readTexts(CODE)),
  ];
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  process.stdout.write(`words: ${sources.length} files read, ${findings.length} findings\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
