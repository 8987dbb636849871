import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';

// `npm run test:files`: each test file on real servers, by the part of the run that it belongs to, with what it is about.
const PARTS = {
  'side-by-side': 'npm test, several files at a time',
  alone: 'npm test, one file at a time',
  long: 'npm run test:long',
} as const;
/** The length of a line, in characters. */
const WIDTH = 200;

for (const [part, title] of Object.entries(PARTS)) {
  const files = listFiles(part);
  process.stdout.write(`${title}: ${files.length} files\n`);
  for (const file of files) process.stdout.write(`${fileLine(file).slice(0, WIDTH)}\n`);
  process.stdout.write('\n');
}

function listFiles(part: string): string[] {
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const env = { ...process.env, JOBLEDGER_TEST_PART: part };
  const list = execFileSync(process.execPath, [jest, '--selectProjects=servers', '--listTests'], { env });
  return list
    .toString()
    .trim()
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .map((path) => relative(process.cwd(), path))
    .toSorted();
}

/** The name of a file, and the titles of its groups of tests, or of its tests if it has no groups. */
function fileLine(file: string): string {
  const text = readFileSync(file, 'utf8');
  const groups = titles(text, 'describe|inChromium');
  const about = groups.length > 0 ? groups : titles(text, 'it|story');
  const from = [...text.matchAll(/^import '\.\/(.+)\.ts';$/gm)].map(([, name]) => name);
  return `  ${file.slice('test/'.length, -'.test.ts'.length)}: ${[...about, ...from].join('; ')}`;
}

function titles(text: string, functions: string): string[] {
  const call = new RegExp(String.raw`^ *(?:${functions})(?:\.each\([^\n]*\))?\(\s*(['\`])(.*?)\1,`, 'gms');
  return [...text.matchAll(call)].map(([, , title = '']) => title);
}
