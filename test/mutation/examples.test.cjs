// All examples of the core as one test file, so that a mutant costs one loading of the modules and not one a file.
const { readdirSync } = require('node:fs');
const { basename, join } = require('node:path');

const FOLDERS = ['ledger', 'decision', 'batch', 'job'].map((name) => join(__dirname, '..', name));
/** The own tests of the mutated files come first: most mutants end there. */
const own = (process.env.MUTATED ?? '').split(',').map((path) => `${basename(path, '.ts')}.test.ts`);

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((file) => join(folder, file)),
).filter((file) => file.endsWith('.test.ts') && !file.endsWith('laws.test.ts'));
const isOwn = (file) => own.includes(basename(file));
for (const file of files.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) require(file);
