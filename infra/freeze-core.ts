import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { CORE_VERSION } from '../workflows/job/record/decision-id.ts';
import { PACKAGE_DIR } from '../services/adapters/package-dir.ts';

// `npm run freeze-core`: compiles the present core into one file, so that its decisions can always be made again.
// A released version may have decided in somebody's ledger: its file is never overwritten.

const outfile = join(PACKAGE_DIR, 'workflows', 'cores', 'frozen', `core-${CORE_VERSION}.js`);
if (existsSync(outfile) && !process.argv.includes('--replace')) {
  process.stderr.write(
    `core ${CORE_VERSION} is already frozen; raise CORE_VERSION in workflows/job/record/decision-id.ts first, or pass --replace while it is unreleased\n`,
  );
  process.exitCode = 1;
} else {
  await build({
    entryPoints: [join(PACKAGE_DIR, 'workflows', 'job', 'core.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
    banner: {
      js: `// Core ${CORE_VERSION}, compiled from workflows/job by "npm run freeze-core". Never edited.`,
    },
  });
  process.stdout.write(`${outfile}\n`);
}
