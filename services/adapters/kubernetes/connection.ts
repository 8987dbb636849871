import { readFileSync } from 'node:fs';
import https from 'node:https';
import http from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { InputError, messageOf } from '../errors.ts';

/** One API server and how to speak to it. Credentials stay inside; `server` is safe to print. */
export interface ClusterConnection {
  /** The name of this cluster in the ledger. */
  readonly cluster: string;
  readonly context: string;
  readonly server: URL;
  /** Request options with the credentials of this moment (tokens may be renewed). */
  options(): Promise<https.RequestOptions>;
}

/**
 * Reads a kubeconfig and picks contexts.
 * @throws InputError when the file cannot be read, is no kubeconfig, or lacks a context; it names file and context.
 */
export function connectClusters(given: {
  kubeconfig: string;
  contexts: readonly string[];
  clusterName?: string | undefined;
}): ClusterConnection[] {
  const config = loadKubeconfig(given.kubeconfig);
  const contexts = given.contexts.length > 0 ? given.contexts : [config.getCurrentContext()];
  if (given.clusterName !== undefined && contexts.length !== 1) {
    throw new InputError(
      `--cluster-name ${given.clusterName} names one cluster, but ${contexts.length} contexts are given; leave it out`,
    );
  }
  return contexts.map((context) =>
    connect(config, { context, cluster: given.clusterName ?? context, file: given.kubeconfig }),
  );
}

function loadKubeconfig(file: string): KubeConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(`kubeconfig ${file} cannot be read; check the path and its permissions`, {
      cause: error,
    });
  }
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
    config.makePathsAbsolute(file.replace(/[^/]*$/, '') || '.');
  } catch (error) {
    // The parser's own text may quote the file, and with it a credential.
    throw new InputError(
      `kubeconfig ${file} is not a valid kubeconfig (${error instanceof Error ? error.name : 'error'})`,
    );
  }
  return config;
}

function connect(
  config: KubeConfig,
  at: { context: string; cluster: string; file: string },
): ClusterConnection {
  const named = config.getContextObject(at.context);
  if (named === null) {
    const known = config.getContexts().map((context) => context.name);
    throw new InputError(
      `kubeconfig ${at.file} has no context "${at.context}"; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    );
  }
  const scoped = new KubeConfig();
  scoped.loadFromOptions({
    clusters: config.clusters,
    users: config.users,
    contexts: config.contexts,
    currentContext: at.context,
  });
  const cluster = scoped.getCurrentCluster();
  if (cluster === null)
    throw new InputError(
      `context "${at.context}" of ${at.file} names the cluster "${named.cluster}", which is not in the file`,
    );
  const server = new URL(cluster.server);
  const agent = server.protocol === 'https:' ? undefined : new http.Agent({ keepAlive: true });
  let shared: https.RequestOptions | undefined;
  return {
    cluster: at.cluster,
    context: at.context,
    server,
    async options() {
      if (agent !== undefined) return { agent };
      try {
        const fresh: https.RequestOptions = {};
        await scoped.applyToHTTPSOptions(fresh);
        shared ??= { agent: new https.Agent({ keepAlive: true, ...tlsOf(fresh) }) };
        return {
          ...shared,
          ...(fresh.headers === undefined ? {} : { headers: fresh.headers }),
          ...(fresh.auth == null ? {} : { auth: fresh.auth }),
        };
      } catch (error) {
        throw new InputError(
          `the credentials of context "${at.context}" in ${at.file} cannot be used: ${messageOf(error)}`,
        );
      }
    },
  };
}

function tlsOf(options: https.RequestOptions): https.AgentOptions {
  const { ca, cert, key, rejectUnauthorized, servername, pfx, passphrase } = options;
  const given = Object.entries({ ca, cert, key, rejectUnauthorized, servername, pfx, passphrase });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
