import type { Command } from 'commander';
import { openApi, type ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { whoamiSchema } from '../../../services/api/schemas/whoami.ts';
import { clustersResponse } from '../clusters/print-from-api.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import {
  apiServerFor,
  connectionOptions,
  needsApi,
  type ConnectionOptions,
} from '../../server/connection-options.ts';
import { writeJson } from '../../write-json.ts';
import { recordedText, rightsText, signedText, type FurtherFields } from './signed-in-text.ts';

export function registerWhoami(program: Command): void {
  const command = program
    .command('whoami')
    .description(
      'show your name and groups as the API knows them, your scopes with their namespaces, and which further fields are recorded in each cluster',
    );
  connectionOptions(outputOption(command, 'print it as JSON')).action(whoami);
}

async function whoami(options: ConnectionOptions & OutputOption): Promise<void> {
  const server = await apiServerFor(options);
  if (server === null) throw needsApi('whoami', options);
  const api = openApi(server);
  const you = await api.get('/v1/whoami', {}, whoamiSchema);
  const fields = you.scopes.includes('read') ? await furtherFieldsIn(api) : {};
  if (options.output === 'json') writeJson({ ...you, recorded_fields: fields });
  else write([signedText(server.url, you), rightsText(you), recordedText(fields)].filter(Boolean).join('\n'));
}

/** By cluster. */
async function furtherFieldsIn(api: ApiCalls): Promise<FurtherFields> {
  const { items } = await api.get('/v1/clusters', {}, clustersResponse);
  return Object.fromEntries(items.map(({ name, recorded_fields: fields }) => [name, fields]));
}
