import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { Pool } from 'undici';
import { InputError, errorMessage } from '../errors.ts';
import { clientLibrary } from './client-library.ts';
import { createTokenReader, withoutTokenFiles } from './token-files.ts';

/** The connection settings of one API server. Credentials are not exposed; `server` is safe to print. */
export interface ClusterConnection {
  /** The name of this cluster in the ledger. */
  readonly cluster: string;
  readonly context: string;
  readonly server: URL;
  /**
   * The connections with credentials that were read at most a second ago, because tokens and certificates may be
   * renewed in their files. With `anew`, the credentials are read now.
   */
  access(anew?: boolean): Promise<Access>;
}

/** The connections to an API server, and the headers of each request. */
export interface Access {
  readonly pool: Pool;
  readonly headers: Readonly<Record<string, string>>;
}

/** Credentials are read again after this time, in milliseconds: reading them costs as much as a request. */
const CREDENTIALS_MS = 1000;
/** The maximum number of connections to an API server, in addition to the connections of watches. Further requests wait. */
const CONNECTIONS = 50;
/** Unused connections are kept this long, in milliseconds, because a new one costs as much as several requests. */
const KEPT_MS = 60_000;

/**
 * Reads a kubeconfig and selects contexts. `watches` is the number of open watches in each cluster; each watch uses a
 * connection of its own. @throws InputError with the file and the context when the file cannot be read, is invalid, or
 * lacks the context.
 */
export function connectClusters(given: {
  kubeconfig: string;
  contexts: readonly string[];
  clusterName?: string | undefined;
  watches?: number;
}): ClusterConnection[] {
  const loaded = loadKubeconfig(given.kubeconfig);
  const contexts = given.contexts.length > 0 ? given.contexts : [loaded.config.getCurrentContext()];
  if (given.clusterName !== undefined && contexts.length !== 1) {
    throw new InputError(
      `--cluster-name ${given.clusterName} names one cluster, but ${contexts.length} contexts are given; leave it out`,
    );
  }
  const connections = CONNECTIONS + (given.watches ?? 0);
  return contexts.map((context) =>
    connect(loaded, {
      context,
      cluster: given.clusterName ?? context,
      file: given.kubeconfig,
      connections,
    }),
  );
}

interface Kubeconfig {
  config: KubeConfig;
  /** The token files, by user. */
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
  at: { context: string; cluster: string; file: string; connections: number },
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
  const token = tokenFile === undefined ? undefined : createTokenReader(tokenFile);
  const getPool = createPoolKeeper(server, at.connections);
  const readAccess = async (): Promise<Access> => {
    if (server.protocol !== 'https:') return { pool: getPool({}), headers: {} };
    try {
      const fresh: RequestOptions = {};
      await scoped.applyToHTTPSOptions(fresh);
      return {
        pool: getPool(tlsOptions(fresh)),
        headers: {
          ...(fresh.headers as Record<string, string> | undefined),
          ...(fresh.auth == null
            ? {}
            : { Authorization: `Basic ${Buffer.from(fresh.auth).toString('base64')}` }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token()}` }),
        },
      };
    } catch (error) {
      throw new InputError(
        `the credentials of context "${at.context}" in ${at.file} cannot be used: ${errorMessage(error)}`,
      );
    }
  };
  let last: { at: number; access: Access } | undefined;
  return {
    cluster: at.cluster,
    context: at.context,
    server,
    async access(anew = false) {
      const now = performance.now();
      if (!anew && last !== undefined && now - last.at < CREDENTIALS_MS) return last.access;
      last = { at: now, access: await readAccess() };
      return last.access;
    },
  };
}

/**
 * Returns a function that keeps one pool while the certificates stay the same. Open requests finish in the pool in
 * which they began. The client does not use HTTP/2, because Node's implementation can write frames into its buffer
 * without end, until the kernel kills the process (Node 24.21).
 */
function createPoolKeeper(server: URL, connections: number): (tls: Tls) => Pool {
  let kept: { print: string; pool: Pool } | undefined;
  return (tls) => {
    const print = tlsFingerprint(tls);
    if (kept?.print === print) return kept.pool;
    void kept?.pool.close();
    const pool = new Pool(server.origin, {
      connections,
      keepAliveTimeout: KEPT_MS,
      allowH2: false,
      connect: tls,
    });
    kept = { print, pool };
    return pool;
  };
}

type Tls = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername' | 'pfx' | 'passphrase'
>;

function tlsFingerprint(tls: Tls): string {
  const hash = createHash('sha256');
  for (const [name, value] of Object.entries(tls)) hash.update(`${name} ${JSON.stringify(value)}\n`);
  return hash.digest('hex');
}

function tlsOptions(options: RequestOptions): Tls {
  const { ca, cert, key, rejectUnauthorized, servername, pfx, passphrase } = options;
  const given = Object.entries({ ca, cert, key, rejectUnauthorized, servername, pfx, passphrase });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
