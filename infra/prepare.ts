import { workflowBundle } from '../services/adapters/temporal/bundle.ts';
import { PACKAGE_DIR } from './node-command.ts';

// `npm ci` runs this after it has installed everything, so that a worker's first start need not wait for a bundler.
await workflowBundle(PACKAGE_DIR);
