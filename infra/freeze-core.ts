import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { CORE_VERSION as CRON_CORE_VERSION } from '../workflows/cron-job/core.ts';
import { CORE_VERSION } from '../workflows/job/core.ts';
import { CORE_VERSION as PLACEMENT_CORE_VERSION } from '../workflows/placement/core.ts';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';

// `npm run freeze-core`: compiles each present core into one file, so that its decisions can always be made again. A released
// version may have decided in somebody's ledger: its file is never overwritten. `-- --replace job` (or `cron-job`, `placement`) replaces the
// file of an unreleased core.

const CORES = [
  { folder: 'job', name: `core-${CORE_VERSION}.js` },
  { folder: 'cron-job', name: `cron-core-${CRON_CORE_VERSION}.js` },
  { folder: 'placement', name: `placement-core-${PLACEMENT_CORE_VERSION}.js` },
];
const frozen = join(PACKAGE_DIR, 'cores');
const { values } = parseArgs({ options: { replace: { type: 'string' } } });
const toFreeze = CORES.filter(
  ({ folder, name }) => folder === values.replace || !existsSync(join(frozen, name)),
);
if (toFreeze.length === 0) {
  const names = CORES.map(({ name }) => name).join(' and ');
  process.stderr.write(
    `${names} are already frozen; first raise the CORE_VERSION of the changed core, or pass "--replace job", "--replace cron-job" or "--replace placement" while it is unreleased\n`,
  );
  process.exitCode = 1;
}
for (const { folder, name } of toFreeze) {
  const outfile = join(frozen, name);
  await build({
    entryPoints: [join(PACKAGE_DIR, 'workflows', folder, 'core.ts')],
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
  process.stdout.write(`${outfile}\n`);
}
