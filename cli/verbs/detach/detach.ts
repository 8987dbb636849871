import type { Command } from 'commander';
import { leaseEnvironment, readConfig, temporalEnvironment } from '../../../services/adapters/config.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import {
  createKubernetesClient,
  type KubernetesClient,
} from '../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../../services/adapters/temporal/bundle.ts';
import { connectTemporal } from '../../../services/adapters/temporal/connection.ts';
import { pollersOfCluster } from '../../../services/adapters/temporal/pollers.ts';
import { resolveAddresses } from '../../addresses.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { clusterOptions, type ClusterOptions } from '../../cluster-options.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { thisUser } from '../../this-user.ts';
import { writeJson } from '../../write-json.ts';
import { QUIET_MS } from './hindrances.ts';
import { sumPlan } from './plan.ts';
import { detachCluster, type Detached } from './detach-cluster.ts';
import { planText, detachedText } from './detach-text.ts';

interface DetachOptions extends StateDirOption, OutputOption, ClusterOptions {
  readonly by?: string;
  readonly dryRun: boolean;
}

/** Adds the verb `detach`. */
export function registerDetach(program: Command): void {
  const command = program
    .command('detach')
    .description(
      'leave a cluster: remove the finalizers from placed Jobs and from the pods of the Jobs that Jobledger controls, so that no deletion hangs once Jobledger is uninstalled; stop the ingesters and workers first',
    )
    .option('--dry-run', 'print the plan; change and record nothing', false)
    .option('--by <who>', 'user name to record in the ledger (default: the user of this machine)');
  stateDirOption(clusterOptions(outputOption(command, 'print the result as JSON'))).action(detach);
}

/** Connects to the cluster and the servers, detaches the cluster, and prints the result. */
async function detach(options: DetachOptions): Promise<void> {
  const by = thisUser(options.by);
  const client = connectCluster(options);
  const { JOBLEDGER_LEASE_NAMESPACE: leaseNamespace } = readConfig(leaseEnvironment);
  const { build } = await workflowBundle(PACKAGE_DIR);
  const { temporalAddress, temporalNamespace } = resolveAddresses(options);
  const temporal = await connectTemporal(
    readConfig(temporalEnvironment, {
      ...process.env,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: temporalNamespace,
    }),
  );
  try {
    const detached = await detachCluster({
      ...options,
      by,
      client,
      kafka: await openLedger(options),
      pollers: () => pollersOfCluster(temporal, client.cluster, build),
      leaseNamespace,
      gangs: options.gangScheduling === 'true',
      quietMs: QUIET_MS,
      signal: new AbortController().signal,
    });
    printDetachment(detached, { ...options, by, cluster: client.cluster });
  } finally {
    await temporal.connection.close();
  }
}

/** Creates a client of the cluster that the options name. @throws InputError if they do not name exactly one cluster. */
function connectCluster(options: DetachOptions): KubernetesClient {
  const addresses = resolveAddresses(options);
  const contexts = options.kubeContext.length > 0 ? options.kubeContext : addresses.contexts;
  const connections = connectClusters({
    kubeconfig: options.kubeconfig ?? addresses.kubeconfig,
    contexts,
    clusterName: options.clusterName,
  });
  const [connection] = connections;
  if (connection === undefined || connections.length > 1)
    throw new InputError(
      `a detachment is for one cluster, but ${connections.length} contexts are given: choose one with --kube-context`,
    );
  return createKubernetesClient(connection);
}

/** Prints the plan or the result of a detachment. Sets exit status 1 when a pod or a placed Job keeps its finalizer. */
function printDetachment(
  { plan, left, hindered, done }: Detached,
  of: DetachOptions & { by: string; cluster: string },
): void {
  const { cluster, claim, namespaces, by, output } = of;
  if (done !== null && done.freed.failed.length + done.placed.failed.length > 0) process.exitCode = 1;
  if (output === 'json')
    return writeJson({
      cluster,
      claim,
      namespaces,
      by,
      dryRun: done === null,
      detachment: done?.detachment ?? null,
      hindered,
      sums: sumPlan(plan),
      ...plan,
      ...(done !== null && { outcome: done.freed, outcomeOfPlacedJobs: done.placed }),
      left,
    });
  write(
    done === null ? planText(plan, { of, left, hindered }) : detachedText(plan, { of, by, ...done, left }),
  );
}
