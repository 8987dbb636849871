import { randomBytes } from 'node:crypto';
import { keptText, writePrivately } from '../../../infra/local/state/files.ts';
import { LOOPBACK, reservePorts } from '../../../infra/local/state/ports.ts';
import type { StateDirectory } from '../../../infra/local/state/state-directory.ts';
import { parseHostPort, addressText } from '../../../services/adapters/network/address.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { tokenLine } from '../../../services/api/access/tokens.ts';

/** The address of the API, with the data that a client needs. */
export interface ApiAccess {
  readonly address: string;
  /**
   * The file with the generated token of the state directory's owner; absent if a token file is configured, or if the API needs no token.
   */
  readonly token?: string;
  /** Environment variables for the service. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Chooses a loopback port and generates a token on the first start, and keeps them in the state directory, readable by its owner only. Configured
 * settings take precedence.
 */
export async function apiAccess(
  options: { readonly apiWithoutTokens: boolean },
  state: Pick<StateDirectory, 'at'>,
  given: NodeJS.ProcessEnv,
): Promise<ApiAccess> {
  const address = await chooseAddress(undefinedIfEmpty(given['JOBLEDGER_API_ADDRESS']), state);
  const environment = { JOBLEDGER_API_ADDRESS: address };
  if (options.apiWithoutTokens || given['JOBLEDGER_API_WITHOUT_TOKENS'] === 'true')
    return { address, environment: { ...environment, JOBLEDGER_API_WITHOUT_TOKENS: 'true' } };
  if (undefinedIfEmpty(given['JOBLEDGER_API_TOKENS_FILE']) !== undefined) return { address, environment };
  const token = state.at('api', 'token');
  const kept = keptText(token, () => `${randomBytes(32).toString('hex')}\n`).trim();
  const line = tokenLine({ name: 'owner', scopes: ['read', 'submit', 'operate', 'prices'] }, kept);
  const tokens = writePrivately(state.at('api', 'tokens'), line);
  return { address, token, environment: { ...environment, JOBLEDGER_API_TOKENS_FILE: tokens } };
}

/** The address for the API: the given address, or this machine; a stored port replaces port 0. */
async function chooseAddress(given: string | undefined, state: Pick<StateDirectory, 'at'>): Promise<string> {
  const { host, port } = given === undefined ? { host: LOOPBACK, port: 0 } : parseAddress(given);
  if (port !== 0) return addressText({ host, port });
  const kept = await reservePorts(state.at('ports.json'), ['api']);
  return addressText({ host, port: kept('api') });
}

/** Parses the address of the API. @throws InputError. */
function parseAddress(given: string): { host: string; port: number } {
  const address = parseHostPort(given);
  if (address === null) throw new InputError(`JOBLEDGER_API_ADDRESS: "${given}" is not host:port`);
  return address;
}

/** Returns undefined for an empty text, because an empty variable counts as unset. */
function undefinedIfEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
