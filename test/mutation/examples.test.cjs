// All examples of the core as one test file, so that a mutant costs one loading of the modules and not one a file.
const { readdirSync } = require('node:fs');
const { basename, join } = require('node:path');

const FOLDER = join(__dirname, '../job');
/** The own tests of the mutated files come first: most mutants end there. */
const own = (process.env.MUTATED ?? '').split(',').map((path) => `${basename(path, '.ts')}.test.ts`);

const files = readdirSync(FOLDER, { recursive: true }).filter(
  (file) => file.endsWith('.test.ts') && !file.endsWith('laws.test.ts'),
);
const isOwn = (file) => own.includes(basename(file));
for (const file of files.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) require(join(FOLDER, file));
