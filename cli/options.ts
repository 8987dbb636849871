import { Option, type Command } from 'commander';

/** `--state-dir`, of every verb that can work on the servers. */
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

/** `--api-without-tokens`: the HTTP API requires no token, and accepts callers of this machine only. */
export interface ApiWithoutTokensOption {
  readonly apiWithoutTokens: boolean;
}

/** Adds the option `--api-without-tokens`. */
export function apiWithoutTokensOption(command: Command): Command {
  return command.option(
    '--api-without-tokens',
    'require no token for the HTTP API, and serve this machine only',
    false,
  );
}
