import { join } from 'node:path';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { writeGoClient, writePythonClient } from './generated.ts';
import { writeTypescriptClient } from './typescript-tree.ts';

// `npm run clients -- typescript python go` generates the named clients of the API into build/clients, from the API's
// document. Without names it generates all clients.

const document = join(PACKAGE_DIR, 'build', 'openapi.json');
const clientFolder = (name: string): string => join(PACKAGE_DIR, 'build', 'clients', name);

const CLIENTS: Readonly<Record<string, () => void>> = {
  typescript: () => writeTypescriptClient(PACKAGE_DIR, clientFolder('typescript')),
  python: () => void writePythonClient(document, clientFolder('python')),
  go: () => writeGoClient(document, clientFolder('go')),
};

const named = process.argv.slice(2);
for (const name of named.length === 0 ? Object.keys(CLIENTS) : named) {
  const write = CLIENTS[name];
  if (write === undefined)
    throw new Error(`there is no client "${name}"; expected ${Object.keys(CLIENTS).join(', ')}`);
  write();
  process.stdout.write(`${clientFolder(name)}\n`);
}
