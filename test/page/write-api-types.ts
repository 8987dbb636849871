import { writeFileSync } from 'node:fs';
import { API_TYPES, apiTypes } from './api-types.ts';

// `npm run page-types`
writeFileSync(API_TYPES, await apiTypes());
