import type { Command } from 'commander';
import { openApi } from '../../services/adapters/http/api-calls.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';
import { installationSchema } from '../../services/api/schemas/ledger.ts';
import { write } from '../output.ts';
import { apiServerFor, connectionOptions, type ConnectionOptions } from '../server/connection-options.ts';

/** Adds the verb `version`. */
export function registerVersion(program: Command): void {
  const command = program
    .command('version')
    .description('print the version of this program and, if an API is configured, the version of the API');
  connectionOptions(command).action(version);
}

/** Prints the versions of this program and of the API. */
async function version(options: ConnectionOptions): Promise<void> {
  write(`jobledger ${VERSION}`);
  const server = await apiServerFor(options);
  if (server === null) return;
  const api = await openApi(server).get('/v1/installation', {}, installationSchema);
  write(`API at ${server.url}: ${api.version}, feature level ${api.feature_level}`);
}
