import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { CORE_VERSION as CRON_CORE_VERSION } from '../workflows/cron-job/core.ts';
import { CORE_VERSION } from '../workflows/job/core.ts';
import { CORE_VERSION as PLACEMENT_CORE_VERSION } from '../workflows/placement/core.ts';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';

// `npm run freeze-core` compiles each present core into one file of `workflows/cores/released`, so that its decisions can always be made
// again, with a file of its types. A released core may have made decisions in the ledger of an installation, so its
// file is never overwritten. `-- --replace job` (or `cron-job`, `placement`) replaces the file of an unreleased core,
// and `-- --into FOLDER` writes to another folder.

const CORES = [
  { folder: 'job', name: `core-${CORE_VERSION}` },
  { folder: 'cron-job', name: `cron-core-${CRON_CORE_VERSION}` },
  { folder: 'placement', name: `placement-core-${PLACEMENT_CORE_VERSION}` },
];
const { values } = parseArgs({ options: { replace: { type: 'string' }, into: { type: 'string' } } });
const frozen = values.into ?? join(PACKAGE_DIR, 'workflows', 'cores', 'released');
const toFreeze = CORES.filter(
  ({ folder, name }) => folder === values.replace || !existsSync(join(frozen, `${name}.js`)),
);
if (toFreeze.length === 0) {
  const names = CORES.map(({ name }) => `${name}.js`).join(' and ');
  process.stdout.write(
    `${names} are already frozen; for another core, first raise the CORE_VERSION of the changed core, or pass "--replace job", "--replace cron-job" or "--replace placement" while it is unreleased\n`,
  );
}
mkdirSync(frozen, { recursive: true });
for (const { folder, name } of toFreeze) {
  const source = join(PACKAGE_DIR, 'workflows', folder, 'core.ts');
  const outfile = join(frozen, `${name}.js`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
    banner: {
      js: `// Compiled from workflows/${folder} by "npm run freeze-core". Never edited.`,
    },
  });
  writeFileSync(join(frozen, `${name}.d.ts`), `export * from '${relative(frozen, source)}';\n`);
  process.stdout.write(`${outfile}\n`);
}
