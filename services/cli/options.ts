import { Option, type Command } from 'commander';
import { CONTROLLERS, type Controller } from '../../workflows/job/settings.ts';
import { controllersIn } from '../adapters/config.ts';
import { InputError, messageOf } from '../adapters/errors.ts';

/** `--state-dir`, which every verb takes. */
export interface StateDirOption {
  readonly stateDir: string;
}

/** Which clusters, and which of their Jobs. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context: readonly string[];
  readonly clusterName?: string;
  readonly claim: 'managed' | 'all';
  readonly controllers: readonly Controller[];
}

export function stateDirOption(command: Command): Command {
  return command.addOption(
    new Option('--state-dir <dir>', 'where embedded servers keep their data and addresses')
      .env('JOBLEDGER_STATE_DIR')
      .default('.jobledger'),
  );
}

/** `--claim`: which Jobs are ours. */
export function claimOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--claim <which>',
      'managed: Jobs that name us in spec.managedBy; all: also those that name nobody',
    )
      .env('JOBLEDGER_CLAIM')
      .choices(['managed', 'all'])
      .default('managed'),
  );
}

/** `--api-without-tokens`: whom the HTTP API answers. */
export interface ApiOption {
  readonly apiWithoutTokens: boolean;
}

export function apiOption(command: Command): Command {
  return command.option(
    '--api-without-tokens',
    'the HTTP API asks nobody for a token, and answers this machine only',
    false,
  );
}

export function clusterOptions(command: Command): Command {
  return claimOption(command)
    .addOption(new Option('--kubeconfig <file>', 'the clusters to drive').env('JOBLEDGER_KUBECONFIG'))
    .addOption(
      new Option(
        '--context <name>',
        'a context of the kubeconfig; repeat it for several clusters (default: the current one)',
      )
        .env('JOBLEDGER_CONTEXTS')
        .default([], '')
        .argParser((given: string, before: readonly string[]) => [...before, ...listed(given)]),
    )
    .addOption(
      new Option(
        '--cluster-name <name>',
        "the cluster's name in the ledger, with one context only (default: the context's)",
      ).env('JOBLEDGER_CLUSTER_NAME'),
    )
    .addOption(
      new Option('--controllers <list>', `which controllers to be: ${CONTROLLERS.join(', ')}`)
        .env('JOBLEDGER_CONTROLLERS')
        .default(['job'], 'job')
        .argParser(controllerList),
    );
}

function controllerList(given: string): readonly Controller[] {
  try {
    return controllersIn(given);
  } catch (error) {
    throw new InputError(`--controllers ${given}: ${messageOf(error)}`);
  }
}

function listed(given: string): string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The environment that tells a service about its clusters. */
export function clusterEnvironment(options: ClusterOptions): Record<string, string> {
  return {
    ...(options.kubeconfig === undefined ? {} : { JOBLEDGER_KUBECONFIG: options.kubeconfig }),
    ...(options.context.length === 0 ? {} : { JOBLEDGER_CONTEXTS: options.context.join(',') }),
    ...(options.clusterName === undefined ? {} : { JOBLEDGER_CLUSTER_NAME: options.clusterName }),
    JOBLEDGER_CLAIM: options.claim,
    JOBLEDGER_CONTROLLERS: options.controllers.join(','),
  };
}
