import { clientLibrary } from '../services/adapters/kubernetes/client-library.ts';
import { workflowBundle } from '../services/adapters/temporal/bundle.ts';
import { PACKAGE_DIR } from './node-command.ts';

// `npm ci` runs this after it has installed everything, so that no first start need wait for a bundler.
await workflowBundle(PACKAGE_DIR);
clientLibrary();
