import type { LocalClusterOptions } from '../../infra/local/cluster/local-cluster.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { startServers, type ServerEnvironment, type TestServers } from './shared-servers/start-servers.ts';

/** Helm, and servers for an installation of the chart. */
export interface ChartServers {
  /** The path of the program. */
  helm: string;
  test: TestServers;
  kubectl: Kubectl;
}

/** Starts servers with an empty database, and the cluster `local`, in which the namespace exists. */
export async function startChartServers(
  stateDir: string,
  namespace: string,
  cluster: Omit<LocalClusterOptions, 'name'> = {},
): Promise<ChartServers> {
  const helm = await findTool('helm', { report: () => undefined, signal: new AbortController().signal });
  const test = await startServers({
    stateDir,
    postgres: true,
    kafka: true,
    temporal: true,
    database: 'empty',
    clusters: [{ name: 'local', ...cluster }],
  });
  const kubectl = kubectlFor({ servers: test.servers, stateDir });
  await kubectl.run('create', 'namespace', namespace);
  return { helm, test, kubectl };
}

/** The entries of the Secrets for the servers that an operator creates by docs/operate/install.md, by the name of the Secret. */
export function serverSecrets(environment: ServerEnvironment): Record<string, Record<string, string>> {
  const of = (pattern: RegExp): Record<string, string> =>
    Object.fromEntries(Object.entries(environment).filter(([name]) => pattern.test(name)));
  return {
    'jobledger-postgres': of(/^DATABASE_/),
    'jobledger-kafka': of(/^(KAFKA|JOBLEDGER_LEDGER)_/),
    'jobledger-temporal': of(/^TEMPORAL_/),
  };
}
