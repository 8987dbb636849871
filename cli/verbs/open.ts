import type { Command } from 'commander';
import { publishedAddresses } from '../../infra/local/state/addresses.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { write } from '../output.ts';
import { pageAddress } from '../page-address.ts';

/** Adds the verb `open`. */
export function registerOpen(program: Command): void {
  const command = program
    .command('open')
    .description('print the address of the page, and open it in the browser if there is one');
  stateDirOption(command).action(open);
}

/** Prints the address of the page, and opens the page in the browser. */
async function open({ stateDir }: StateDirOption): Promise<void> {
  const { api, apiToken } = publishedAddresses(stateDir) ?? {};
  if (api === undefined)
    throw new InputError(`no API is running from ${stateDir}; start "jobledger up", or give its --state-dir`);
  const page = pageAddress(api);
  write(apiToken === undefined ? page : `${page}\nthe token for the page is in ${apiToken}`);
  if (!hasBrowser(process.platform, process.env, process.stdout.isTTY)) return;
  const { default: openInBrowser } = await import('open');
  await openInBrowser(page);
}

/** True when the process has a terminal and a screen, because a script must not open windows. */
export function hasBrowser(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  isTerminal: boolean,
): boolean {
  if (!isTerminal || environment['CI'] !== undefined) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(environment['DISPLAY']) || Boolean(environment['WAYLAND_DISPLAY']);
}
