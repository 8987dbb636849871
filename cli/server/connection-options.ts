import { Option, type Command } from 'commander';
import { InputError } from '../../services/adapters/errors.ts';
import type { ApiServer } from '../../services/adapters/http/api-calls.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { readContexts } from './contexts-file.ts';
import { choosesServers, chosenServer, toApiServer, type Given } from './target.ts';

/** The connection of a verb to Jobledger: an API, or the servers themselves. */
export interface ConnectionOptions extends StateDirOption {
  readonly connection: Given;
}

/** Adds the options of a verb that works with or without an API. */
export function connectionOptions(command: Command): Command {
  return stateDirOption(serverOptions(command)).hook('preAction', (_, verb) => {
    const { server, context, tokenFile, caFile } = verb.opts<Omit<Given, 'hasStateDir'>>();
    const hasStateDir = verb.getOptionValueSource('stateDir') === 'cli';
    verb.setOptionValue('connection', { server, context, tokenFile, caFile, hasStateDir } satisfies Given);
  });
}

/** Adds the options that choose an API. */
function serverOptions(command: Command): Command {
  return command
    .addOption(new Option('--server <url>', 'the HTTP API to use (JOBLEDGER_SERVER)'))
    .addOption(new Option('--context <name>', 'a context of "jobledger login" (default: the current one)'))
    .addOption(new Option('--token-file <file>', 'a file with the token for the API (JOBLEDGER_TOKEN_FILE)'))
    .addOption(
      new Option(
        '--ca-file <file>',
        "a file with the certificates that sign the API's certificate (JOBLEDGER_CA_FILE)",
      ),
    );
}

/**
 * The error of a verb that needs an API and has none. `otherwise` is the alternative for a user without an API.
 */
export function needsApi(verb: string, { connection }: ConnectionOptions, otherwise = ''): InputError {
  const chosenBy = choosesServers(connection, process.env);
  if (chosenBy !== undefined)
    return new InputError(
      `${verb} needs an API, but ${chosenBy} chooses the servers instead: ${chosenBy.startsWith('-') ? 'leave it out' : 'unset it'} to use the current context of "jobledger login", or give --context or --server${otherwise}`,
    );
  return new InputError(
    `${verb} needs an API: sign in with "jobledger login URL", or give --server${otherwise}; "jobledger up" prints the URL (api=) and the token file of its own`,
  );
}

/** The API to call; null when the verb uses the servers themselves. @throws InputError. */
export async function apiServerFor({ connection }: ConnectionOptions): Promise<ApiServer | null> {
  const chosen = await chosenServer(connection, process.env, readContexts);
  return chosen === null ? null : toApiServer(chosen, connection, process.env);
}
