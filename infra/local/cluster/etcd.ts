import path from 'node:path';
import { chmodSync, mkdirSync } from 'node:fs';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';
import { requireHealthy } from './answers-healthy.ts';
import { asFlags } from './flags.ts';
import type { Credentials, KeyPairFiles } from './credentials.ts';

/**
 * The address where other nodes would connect: a socket in the folder of the cluster, because etcd does not
 * authenticate a peer.
 */
const PEERS = 'unix://peers.sock';

/** One etcd node that accepts only clients with a certificate of its own authority. */
export async function etcdSpec(at: {
  name: string;
  dir: string;
  port: number;
  etcd: string;
  credentials: Credentials;
  client: KeyPairFiles;
  /** The gateway that also answers JSON requests; it is off by default, because the API server does not use it. */
  answersHttp?: boolean;
}): Promise<ChildSpec> {
  const server = await at.credentials.serverFiles('etcd');
  const url = `https://${LOOPBACK}:${at.port}`;
  const flags = {
    name: 'local',
    'data-dir': path.join(at.dir, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': PEERS,
    'initial-advertise-peer-urls': PEERS,
    'initial-cluster': `local=${PEERS}`,
    'cert-file': server.certificate,
    'key-file': server.key,
    'trusted-ca-file': at.credentials.authorityFile,
    'client-cert-auth': true,
    'enable-grpc-gateway': at.answersHttp === true,
    // The gateway is a client of etcd, and needs a client certificate too.
    ...(at.answersHttp === true && {
      'client-cert-file': at.client.certificate,
      'client-key-file': at.client.key,
    }),
    // With this flag only a power failure can lose data, which is acceptable on a laptop; a killed process loses no
    // data.
    'unsafe-no-fsync': true,
    'log-level': 'warn',
  };
  const health = {
    port: at.port,
    path: '/health',
    authorityFile: at.credentials.authorityFile,
    client: at.client,
  };
  return {
    name: at.name,
    ...STOP.etcd,
    async prepare() {
      mkdirSync(at.dir, { recursive: true });
      // The directory is closed even when the folder of the state is open to other users.
      chmodSync(at.dir, 0o700);
    },
    command: () => ({ file: at.etcd, args: asFlags(flags), cwd: at.dir, env: plainEnvironment() }),
    ready: (_child, signal) => retryUntilResolved(() => requireHealthy(health), signal),
  };
}
