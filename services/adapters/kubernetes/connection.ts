import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import http from 'node:http';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { InputError, messageOf } from '../errors.ts';
import { clientLibrary } from './client-library.ts';
import { tokenIn, withoutTokenFiles } from './token-files.ts';

/** Connection settings of one API server. Credentials are not exposed; `server` is safe to print. */
export interface ClusterConnection {
  /** The name of this cluster in the ledger. */
  readonly cluster: string;
  readonly context: string;
  readonly server: URL;
  /** Request options with the current credentials: tokens and certificates may be renewed in their files. */
  options(): Promise<https.RequestOptions>;
}

/**
 * Reads a kubeconfig and selects contexts.
 * @throws InputError when the file cannot be read, is invalid, or lacks a context; it names the file and the context.
 */
export function connectClusters(given: {
  kubeconfig: string;
  contexts: readonly string[];
  clusterName?: string | undefined;
}): ClusterConnection[] {
  const loaded = loadKubeconfig(given.kubeconfig);
  const contexts = given.contexts.length > 0 ? given.contexts : [loaded.config.getCurrentContext()];
  if (given.clusterName !== undefined && contexts.length !== 1) {
    throw new InputError(
      `--cluster-name ${given.clusterName} names one cluster, but ${contexts.length} contexts are given; leave it out`,
    );
  }
  return contexts.map((context) =>
    connect(loaded, { context, cluster: given.clusterName ?? context, file: given.kubeconfig }),
  );
}

interface Kubeconfig {
  config: KubeConfig;
  /** Token files, by user. */
  tokenFiles: ReadonlyMap<string, string>;
}

function loadKubeconfig(file: string): Kubeconfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(`kubeconfig ${file} cannot be read; check the path and its permissions`, {
      cause: error,
    });
  }
  const config = new (clientLibrary().KubeConfig)();
  try {
    const folder = path.dirname(path.resolve(file));
    const { text: loaded, files: tokenFiles } = withoutTokenFiles(text, folder);
    config.loadFromString(loaded);
    config.makePathsAbsolute(folder);
    return { config, tokenFiles };
  } catch (error) {
    // The parser's message may quote the file, and with it a credential.
    throw new InputError(
      `kubeconfig ${file} is not a valid kubeconfig (${error instanceof Error ? error.name : 'error'})`,
    );
  }
}

function connect(
  { config, tokenFiles }: Kubeconfig,
  at: { context: string; cluster: string; file: string },
): ClusterConnection {
  const named = config.getContextObject(at.context);
  if (named === null) {
    const known = config.getContexts().map((context) => context.name);
    throw new InputError(
      `kubeconfig ${at.file} has no context "${at.context}"; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    );
  }
  const scoped = new (clientLibrary().KubeConfig)();
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
  const tokenFile = tokenFiles.get(scoped.getCurrentUser()?.name ?? '');
  const token = tokenFile === undefined ? undefined : tokenIn(tokenFile);
  const httpAgent = server.protocol === 'https:' ? undefined : new http.Agent({ keepAlive: true });
  const agentOf = cachedAgent();
  return {
    cluster: at.cluster,
    context: at.context,
    server,
    async options() {
      if (httpAgent !== undefined) return { agent: httpAgent };
      try {
        const fresh: https.RequestOptions = {};
        await scoped.applyToHTTPSOptions(fresh);
        const bearer = token === undefined ? {} : { Authorization: `Bearer ${token()}` };
        return {
          agent: agentOf(tlsOf(fresh)),
          headers: { ...(fresh.headers as http.OutgoingHttpHeaders | undefined), ...bearer },
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

/** Reuses one agent while the certificates stay the same. Open requests finish on the agent that they started with. */
function cachedAgent(): (tls: https.AgentOptions) => https.Agent {
  let kept: { print: string; agent: https.Agent } | undefined;
  return (tls) => {
    const print = fingerprintOf(tls);
    if (kept?.print === print) return kept.agent;
    if (kept !== undefined) kept.agent.maxFreeSockets = 0;
    kept = { print, agent: new https.Agent({ keepAlive: true, ...tls }) };
    return kept.agent;
  };
}

function fingerprintOf(tls: https.AgentOptions): string {
  const hash = createHash('sha256');
  for (const [name, value] of Object.entries(tls)) hash.update(`${name} ${String(value)}\n`);
  return hash.digest('hex');
}

function tlsOf(options: https.RequestOptions): https.AgentOptions {
  const { ca, cert, key, rejectUnauthorized, servername, pfx, passphrase } = options;
  const given = Object.entries({ ca, cert, key, rejectUnauthorized, servername, pfx, passphrase });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
