import { Option, type Command } from 'commander';

/** `--state-dir`, which every verb has. */
export interface StateDirOption {
  readonly stateDir: string;
}

/** Adds the option `--state-dir`. */
export function stateDirOption(command: Command): Command {
  return command.addOption(
    new Option('--state-dir <dir>', "directory of the embedded servers' data and addresses")
      .env('JOBLEDGER_STATE_DIR')
      .default('.jobledger'),
  );
}

/** `--api-without-tokens`, which lets every user of this machine call the HTTP API. */
export interface ApiOption {
  readonly apiWithoutTokens: boolean;
}

/** Adds the option `--api-without-tokens`. */
export function apiOption(command: Command): Command {
  return command.option(
    '--api-without-tokens',
    'require no token for the HTTP API, and serve this machine only',
    false,
  );
}
