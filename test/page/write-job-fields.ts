import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { jobFields } from './job-fields.ts';

// `npm run job-fields`, after an update of Kubernetes' client library; with --print it writes to the standard output.
const file = join(PACKAGE_DIR, 'page', 'submit', 'job-fields.json');
const fields = `${JSON.stringify(jobFields(), null, 2)}\n`;
if (process.argv.includes('--print')) process.stdout.write(fields);
else writeFileSync(file, fields);
