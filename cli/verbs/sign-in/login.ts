import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Option, type Command } from 'commander';
import { openApi, parseBase, RefusedByApiError } from '../../../services/adapters/http/api-calls.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { isPrintable, printableLine } from '../../../services/adapters/printable.ts';
import { whoamiSchema, type Whoami } from '../../../services/api/schemas/whoami.ts';
import { write } from '../../output.ts';
import { withContext, type ServerContext } from '../../server/contexts.ts';
import { changeContexts, contextsPath } from '../../server/contexts-file.ts';
import { toApiServer, tokenIn } from '../../server/target.ts';
import { signedText } from './signed-in-text.ts';

interface LoginOptions {
  readonly name?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
}

/** Adds the verb `login`. */
export function registerLogin(program: Command): void {
  program
    .command('login')
    .description(
      'try a token with an API, and store both as the current context. Without --token-file, asks for the token or reads it from the standard input, and stores it in the file of contexts',
    )
    .argument('<url>', 'https://HOST[:PORT] of the HTTP API')
    .option('--name <name>', 'name of the context (default: the host of the URL)')
    .addOption(
      new Option('--token-file <file>', 'a file with the token, read again for each command').env(
        'JOBLEDGER_TOKEN_FILE',
      ),
    )
    .addOption(
      new Option('--ca-file <file>', "a file with the certificates that sign the API's certificate").env(
        'JOBLEDGER_CA_FILE',
      ),
    )
    .action(login);
}

/** Signs in at an API, and stores the context as the current one. */
async function login(given: string, { name, tokenFile, caFile }: LoginOptions): Promise<void> {
  if (name !== undefined && (name.trim() === '' || !isPrintable(name)))
    throw new InputError(
      `--name is "${printableLine(name)}"; expected a name on one line, without control characters`,
    );
  const url = parseBase(given);
  const context: ServerContext = {
    name: name ?? new URL(url).host,
    server: url,
    ...(tokenFile !== undefined && { 'token-file': resolve(tokenFile) }),
    ...(caFile !== undefined && { 'ca-file': resolve(caFile) }),
  };
  const signedIn = await signIn(context);
  const file = contextsPath();
  await changeContexts((all) => withContext(all, signedIn.context), file);
  write(`${signedText(url, signedIn.whoami)}; context "${context.name}" is in ${file}`);
}

/** Signs in, and asks for a token only if the API requires one. */
async function signIn(context: ServerContext): Promise<{ context: ServerContext; whoami: Whoami }> {
  try {
    return { context, whoami: await whoIs(context) };
  } catch (error) {
    const wantsToken = error instanceof RefusedByApiError && error.kind === 'unauthorized';
    if (!wantsToken || context['token-file'] !== undefined) throw error;
  }
  const withToken = { ...context, token: await askedToken(context.server) };
  return { context: withToken, whoami: await whoIs(withToken) };
}

/** The user for whom the API takes the token of a context. */
function whoIs(context: ServerContext): Promise<Whoami> {
  return openApi(toApiServer(context, {}, process.env)).get('/v1/whoami', {}, whoamiSchema);
}

/** Asks for a token at the terminal, or reads it from standard input. */
async function askedToken(url: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    const given = await readAll(stdin);
    if (given.trim() === '')
      throw new InputError(
        `${url} requires a token, but the standard input is empty: give --token-file, or write the token to the standard input`,
      );
    return tokenIn(given, 'the standard input');
  }
  stderr.write(`token for ${printableLine(url)} (not shown): `);
  // The terminal does not echo the token.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return tokenIn(await terminal.question(''), 'what was typed');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
