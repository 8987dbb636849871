import { readFileSync } from 'node:fs';
import type { ApiServer } from '../../services/adapters/http/api-calls.ts';
import { isReadableByOthers } from '../../services/adapters/network/address.ts';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { currentContext, requireContext, type Contexts, type ServerContext } from './contexts.ts';

/** The options and variables that choose between an API and the servers themselves. */
export interface Given {
  readonly server?: string | undefined;
  readonly context?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
  /** True when `--state-dir` is on the command line. */
  readonly hasStateDir: boolean;
}

/** The chosen API: a URL, or a context from the file. */
type Chosen = Pick<ServerContext, 'server' | 'token' | 'token-file' | 'ca-file'>;

/** The variables that choose the servers, as `--state-dir` does. */
const SERVER_VARIABLES = ['JOBLEDGER_STATE_DIR', 'DATABASE_URL'];

/** The option or variable that chooses the servers; undefined if no option or variable does. */
export function choosesServers(
  { hasStateDir }: Pick<Given, 'hasStateDir'>,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (hasStateDir) return '--state-dir';
  return SERVER_VARIABLES.find((name) => nonEmpty(environment, name) !== undefined);
}

/**
 * The API to call; null when the servers are used directly. The command line takes precedence over the environment,
 * and the environment over the current context.
 */
export async function chosenServer(
  given: Given,
  environment: NodeJS.ProcessEnv,
  contexts: () => Promise<Contexts>,
): Promise<Chosen | null> {
  if (given.server !== undefined) return fromEnvironment(given.server, environment);
  if (given.context !== undefined) return requireContext(await contexts(), given.context);
  if (given.hasStateDir) return null;
  const server = nonEmpty(environment, 'JOBLEDGER_SERVER');
  if (server !== undefined) return fromEnvironment(server, environment);
  if (choosesServers(given, environment) !== undefined) return null;
  return currentContext(await contexts()) ?? null;
}

/** The API at a URL, with the files for its token and certificates that the environment names. */
function fromEnvironment(server: string, environment: NodeJS.ProcessEnv): Chosen {
  const tokenFile = nonEmpty(environment, 'JOBLEDGER_TOKEN_FILE');
  const caFile = nonEmpty(environment, 'JOBLEDGER_CA_FILE');
  return {
    server,
    ...(tokenFile !== undefined && { 'token-file': tokenFile }),
    ...(caFile !== undefined && { 'ca-file': caFile }),
  };
}

/** The value of a variable; undefined if the variable is unset or empty. */
function nonEmpty(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}

/** The API with the contents of its files. @throws InputError that names a file, never its content, or if a token would travel unencrypted. */
export function toApiServer(
  chosen: Chosen,
  given: Pick<Given, 'tokenFile' | 'caFile'>,
  environment: NodeJS.ProcessEnv,
): ApiServer {
  const tokenFile = given.tokenFile ?? chosen['token-file'];
  const caFile = given.caFile ?? chosen['ca-file'];
  const token =
    tokenFile === undefined ? (chosen.token ?? null) : tokenIn(readTextFile(tokenFile), tokenFile);
  if (token !== null) requireEncryption(chosen.server, environment);
  return { url: chosen.server, token, ca: caFile === undefined ? null : readTextFile(caFile) };
}

/** The token in a text. @throws InputError if the text cannot be a token. */
export function tokenIn(text: string, where: string): string {
  const token = text.trim();
  if (/^[\w.~+/-]+=*$/.test(token)) return token;
  throw new InputError(`${where} does not contain a token: expected one line of letters, digits and ._~+/-`);
}

/** Requires that a token is sent over TLS, or only to this machine. @throws InputError. */
function requireEncryption(url: string, environment: NodeJS.ProcessEnv): void {
  if (!URL.canParse(url) || !isReadableByOthers(url)) return;
  if (environment['JOBLEDGER_TOKEN_WITHOUT_TLS'] === 'true') return;
  throw new InputError(
    `${url} would receive the token unencrypted: use https://, or set JOBLEDGER_TOKEN_WITHOUT_TLS=true if you trust the network`,
  );
}

/** The text of a file. @throws InputError if the file cannot be read. */
function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
