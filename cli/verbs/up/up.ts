import path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { report, write } from '../../output.ts';
import {
  auditLogVariables,
  kafkaVariables,
  publishAddresses,
  withdrawAddresses,
  type Addresses,
} from '../../../infra/local/state/addresses.ts';
import type { LocalServers } from '../../../infra/local/local-servers.ts';
import { openStateDirectory, type StateDirectory } from '../../../infra/local/state/state-directory.ts';
import type { ChildSpec } from '../../../infra/local/processes/keep-running.ts';
import { endLeftovers } from '../../../infra/local/processes/leftovers.ts';
import { createSupervisor, type Supervisor } from '../../../infra/local/processes/supervisor.ts';
import { clusterEnvironment, clusterOptions } from '../../cluster-options.ts';
import { apiWithoutTokensOption, stateDirOption } from '../../options.ts';
import { whenAborted, endSoon, stopRequest } from '../../stop-request.ts';
import { apiAccess, type ApiAccess } from './api-access.ts';
import {
  allAddresses,
  embeddedClusters,
  embedMissing,
  givenParts,
  openServersWarning,
  preflightsFor,
  waitForGiven,
  type GivenParts,
  localPlacement,
  type UpOptions,
} from './parts.ts';
import { metricsAddresses } from './metrics-addresses.ts';
import { reportClusters, reportNamespaces } from './report-clusters.ts';
import { reportWaiting } from './report-waiting.ts';
import { readyLine, stopLine } from './lines.ts';
import {
  echoWarnings,
  failureError,
  serviceChildren,
  SERVICES,
  servicesTogether,
} from './service-children.ts';

/** Adds the verb `up`. */
export function registerUp(program: Command): void {
  const command = program
    .command('up')
    .description(
      'run the services, and an embedded server for each of DATABASE_URL, KAFKA_BROKERS, TEMPORAL_ADDRESS and --kubeconfig that you do not set',
    )
    .option(
      '--clusters <n>',
      'number of embedded clusters, named local, local-2, …; placed Jobs may run in each of several clusters',
      countOfClusters,
      1,
    )
    .option(
      '--separate',
      'run each service in its own process, as in production, instead of all services in one process',
      false,
    )
    .option('--verbose', "print the services' warnings and errors on standard error", false);
  apiWithoutTokensOption(clusterOptions(stateDirOption(command))).action(up);
}

/** The largest number of embedded control planes on one machine. */
const MOST_CLUSTERS = 9;

/** Parses the number of embedded clusters. @throws InvalidArgumentError. */
function countOfClusters(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_CLUSTERS) return count;
  throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_CLUSTERS}`);
}

type Options = UpOptions & { readonly separate: boolean; readonly verbose: boolean };

/** The running parts that must be stopped at the end. */
interface Running {
  readonly state: StateDirectory;
  readonly services: Supervisor;
  servers?: LocalServers;
  stopEcho?: () => void;
  /** The functions that stop the reports about waiting services and clusters. */
  readonly stopReports: (() => void)[];
}

/** Stops the reports about waiting services and clusters. */
function stopReports(running: Running): void {
  for (const stop of running.stopReports.splice(0)) stop();
}

/** Runs the services and the embedded servers until a signal or a failure, and then stops them. */
async function up(options: Options): Promise<void> {
  const stop = stopRequest();
  const parts = await givenParts(options, process.env);
  const state = openStateDirectory(options.stateDir, 'up', 'jobledger up');
  const services = createSupervisor({
    runDir: state.at('run', 'services'),
    logsDir: state.at('logs'),
    report,
  });
  const running: Running = { state, services, stopReports: [] };
  try {
    await run(options, parts, running, { report, signal: stop });
  } catch (error) {
    // A signal during the start is not a failure.
    if (!stop.aborted) throw error;
  } finally {
    stopReports(running);
    const line = stop.aborted ? stopLine(running.servers?.addresses) : null;
    if (line !== null) report(line);
    withdrawAddresses(state.dir, 'up');
    await services.stop();
    await running.servers?.stop();
    running.stopEcho?.();
    state.release();
    endSoon(stop);
  }
}

/** Starts the servers and the services, prints the ready line, and waits for the end. */
async function run(
  options: Options,
  parts: GivenParts,
  running: Running,
  context: { report: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const { state, services } = running;
  const starting = new AbortController();
  const until = AbortSignal.any([starting.signal, context.signal]);
  running.stopReports.push(() => starting.abort());
  const preflights = await preflightsFor(parts.clusters, options, until);
  void reportClusters(preflights, { report, signal: until });
  await endLeftovers(state.at('run', 'services'));
  const warning = openServersWarning(parts);
  if (warning !== null) report(warning);
  await waitForGiven(parts, context);
  const servers = await embedMissing(parts, { ...options, stateDir: state.dir }, context);
  if (servers !== undefined) running.servers = servers;
  if (servers !== undefined && options.namespaces.length > 0) {
    const embedded = await embeddedClusters(servers.addresses, options);
    await reportNamespaces(await preflightsFor(embedded, options, context.signal), report);
  }
  const metrics = await metricsAddresses(process.env['JOBLEDGER_METRICS_ADDRESS'], state);
  const api = await apiAccess(options, state, process.env);
  const addresses = { ...allAddresses(parts, servers?.addresses), metrics, ...apiAddresses(api) };
  publishAddresses(state.dir, 'up', addresses);
  if (options.verbose) running.stopEcho = echoWarnings(state.at('logs'), report);

  const failure = Promise.race([
    services.failed.then(failureError),
    ...(servers === undefined ? [] : [servers.failed.then(({ error }) => error)]),
  ]);
  const environment = { ...serviceEnvironment(options, addresses), ...api.environment };
  const own = { metrics, kubeconfigs: servers?.addresses.serviceKubeconfigs };
  const children = options.separate
    ? startInOwnProcesses(services, serviceChildren(environment, own))
    : startInOneProcess(services, (onReady) =>
        servicesTogether(environment, { ...own, names: SERVICES, logsDir: state.at('logs'), onReady }),
      );
  running.stopReports.push(reportWaiting(children, { logsDir: state.at('logs'), report }));
  const ready = Promise.all(children.values());
  ready.catch(() => undefined);
  const ended = Promise.race([failure, whenAborted(context.signal)]);
  const early = await Promise.race([
    ended,
    ready.then(
      () => 'ready' as const,
      () => ended,
    ),
  ]);
  stopReports(running);
  if (early === 'ready')
    write(
      readyLine(addresses, {
        stateDir: state.dir,
        ...(options.clusterName !== undefined && { clusterName: options.clusterName }),
      }),
    );
  const error = early === 'ready' ? await ended : early;
  if (error !== undefined) throw error;
}

/** The promise of each service, which resolves when the service is ready. */
type Starting = Map<string, Promise<void>>;

/** Starts each service in a process of its own. */
function startInOwnProcesses(services: Supervisor, specs: readonly ChildSpec[]): Starting {
  return new Map(specs.map((spec) => [spec.name, services.start(spec)]));
}

/** Starts all services in one process; each service has its own promise of being ready. */
function startInOneProcess(
  services: Supervisor,
  specWith: (onReady: (name: string) => void) => ChildSpec,
): Starting {
  const ready = new Map(
    SERVICES.map((name): [string, PromiseWithResolvers<void>] => [name, Promise.withResolvers()]),
  );
  const failed = services.start(specWith((name) => ready.get(name)?.resolve()));
  failed.catch((error: unknown) => {
    for (const { reject } of ready.values()) reject(error);
  });
  return new Map([...ready].map(([name, { promise }]) => [name, promise]));
}

/** The URL of the API, and the file with its token. */
function apiAddresses({ address, token }: ApiAccess): Pick<Addresses, 'api' | 'apiToken'> {
  const scheme = process.env['JOBLEDGER_API_TLS_CERT'] ? 'https' : 'http';
  return { api: `${scheme}://${address}`, ...(token !== undefined && { apiToken: token }) };
}

/** The environment variables of all services. */
function serviceEnvironment(options: Options, addresses: Addresses): NodeJS.ProcessEnv {
  const { databaseUrl, temporalAddress, temporalNamespace, kubeconfig, contexts } = addresses;
  return {
    ...localPlacement(options),
    ...auditLogVariables(addresses, options.clusterName),
    ...process.env,
    ...clusterEnvironment(options),
    DATABASE_URL: databaseUrl,
    ...kafkaVariables(addresses),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
    JOBLEDGER_KUBECONFIG: kubeconfig === undefined ? undefined : path.resolve(kubeconfig),
    JOBLEDGER_CONTEXTS: contexts?.join(','),
    JOBLEDGER_STATE_DIR: path.resolve(options.stateDir),
  };
}
