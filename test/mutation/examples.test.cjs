// All examples of the core as one test file, so that a mutant costs one loading of the modules and not one a file.
const { readdirSync } = require('node:fs');
const { basename, join } = require('node:path');

const FOLDER = join(__dirname, '../job');
/** The file's own test comes first: most mutants end there. */
const own = `${basename(process.env.MUTATED ?? '').replace(/\.ts.*/, '')}.test.ts`;

const files = readdirSync(FOLDER).filter(
  (file) => file.endsWith('.test.ts') && !file.endsWith('laws.test.ts'),
);
for (const file of files.toSorted((a, b) => Number(b === own) - Number(a === own)))
  require(join(FOLDER, file));
