import { clientLibrary } from '../services/adapters/kubernetes/client-library.ts';
import { workflowBundle } from '../services/adapters/temporal/bundle.ts';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';

// `npm ci` runs this after the installation, so that a worker's first start does not wait for the bundler.
await workflowBundle(PACKAGE_DIR);
clientLibrary();
