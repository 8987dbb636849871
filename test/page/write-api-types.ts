import { writeFileSync } from 'node:fs';
import { API_TYPES, apiTypes } from './api-types.ts';

// `npm run page-types`; with --print it writes to the standard output.
const types = await apiTypes();
if (process.argv.includes('--print')) process.stdout.write(types);
else writeFileSync(API_TYPES, types);
