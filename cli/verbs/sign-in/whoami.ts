import type { Command } from 'commander';
import { openApi } from '../../../services/adapters/http/api-calls.ts';
import { whoamiSchema } from '../../../services/api/schemas/whoami.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import {
  apiServerFor,
  connectionOptions,
  needsApi,
  type ConnectionOptions,
} from '../../server/connection-options.ts';
import { writeJson } from '../../write-json.ts';
import { rightsText, signedInText } from './signed-in-text.ts';

export function registerWhoami(program: Command): void {
  const command = program
    .command('whoami')
    .description(
      'show who the API takes you for, with your groups, your scopes and the namespaces where you have them',
    );
  connectionOptions(outputOption(command, 'print it as JSON')).action(whoami);
}

async function whoami(options: ConnectionOptions & OutputOption): Promise<void> {
  const server = await apiServerFor(options);
  if (server === null) throw needsApi('whoami');
  const you = await openApi(server).get('/v1/whoami', {}, whoamiSchema);
  if (options.output === 'json') writeJson(you);
  else write([signedInText(server.url, you), rightsText(you)].filter(Boolean).join('\n'));
}
