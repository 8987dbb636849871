import { Option, type Command } from 'commander';
import {
  controllersIn,
  namespacesIn,
  splitList,
  REPLACED_CONTROLLERS,
  type ReplacedController,
} from '../services/adapters/config.ts';
import { InputError, errorMessage } from '../services/adapters/errors.ts';

/** The options that select the clusters and the Jobs to control. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly kubeContext: readonly string[];
  readonly clusterName?: string;
  /** The only namespaces to watch and change; an empty list means all namespaces. */
  readonly namespaces: readonly string[];
  readonly claim: 'managed' | 'all';
  readonly controllers: readonly ReplacedController[];
  readonly gangScheduling: 'true' | 'false';
}

/** `--claim` selects the Jobs that Jobledger controls. */
export function claimOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--claim <which>',
      'managed: control the Jobs whose spec.managedBy names Jobledger; all: control also the Jobs without spec.managedBy',
    )
      .env('JOBLEDGER_CLAIM')
      .choices(['managed', 'all'])
      .default('managed'),
  );
}

/** With `--gang-scheduling`, Jobs whose indexes all run at once get a Workload and a PodGroup, and a local cluster serves this API. */
export function gangSchedulingOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--gang-scheduling [true|false]',
      'schedule all pods of a Job together if its indexes all run at once, in clusters that serve the Workload API (docs/gangs.md); with this option, the local cluster serves it',
    )
      .env('JOBLEDGER_GANG_SCHEDULING')
      .choices(['true', 'false'])
      .preset('true')
      .default('false'),
  );
}

/** Adds the options that select the clusters and the Jobs to control. */
export function clusterOptions(command: Command): Command {
  return gangSchedulingOption(claimOption(command))
    .addOption(new Option('--kubeconfig <file>', 'the clusters to control').env('JOBLEDGER_KUBECONFIG'))
    .addOption(
      new Option('--kube-context <name>', 'a context of the kubeconfig; may be repeated for several clusters')
        .env('JOBLEDGER_CONTEXTS')
        .default([], 'the current one')
        .argParser((given: string, before: readonly string[]) => [...before, ...splitList(given)]),
    )
    .addOption(
      new Option(
        '--cluster-name <name>',
        "the cluster's name in the ledger, with one context only (default: the context's name)",
      ).env('JOBLEDGER_CLUSTER_NAME'),
    )
    .addOption(
      new Option('--namespaces <list>', 'watch and change only these namespaces')
        .env('JOBLEDGER_NAMESPACES')
        .default([], 'the whole cluster')
        .argParser(parseOption('--namespaces', namespacesIn)),
    )
    .addOption(
      new Option('--controllers <list>', `controllers to run: ${REPLACED_CONTROLLERS.join(', ')}`)
        .env('JOBLEDGER_CONTROLLERS')
        .default(['job'], 'job')
        .argParser(parseOption('--controllers', controllersIn)),
    );
}

/** Parses the value of an option, and names the option in an error. */
function parseOption<T>(option: string, parse: (text: string) => T): (given: string) => T {
  return (given) => {
    try {
      return parse(given);
    } catch (error) {
      throw new InputError(`${option} ${given}: ${errorMessage(error)}`);
    }
  };
}

/** The environment variables of the cluster options, for a service. */
export function clusterEnvironment(options: ClusterOptions): Record<string, string> {
  return {
    ...(options.kubeconfig === undefined ? {} : { JOBLEDGER_KUBECONFIG: options.kubeconfig }),
    ...(options.kubeContext.length === 0 ? {} : { JOBLEDGER_CONTEXTS: options.kubeContext.join(',') }),
    ...(options.clusterName === undefined ? {} : { JOBLEDGER_CLUSTER_NAME: options.clusterName }),
    JOBLEDGER_NAMESPACES: options.namespaces.join(','),
    JOBLEDGER_CLAIM: options.claim,
    JOBLEDGER_CONTROLLERS: options.controllers.join(','),
    JOBLEDGER_GANG_SCHEDULING: options.gangScheduling,
  };
}
