import { existsSync } from 'node:fs';
import path from 'node:path';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { nodeCommand } from '../processes/child.ts';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';
import type { Credentials } from './credentials.ts';

const PROGRAM = 'infra/local/node-agent/main.ts';
export const NODE_NAME = 'local';

/**
 * The process of the node agent, with its environment and its readiness check.
 */ export async function nodeAgentSpec(at: {
  name: string;
  dir: string;
  port: number;
  kubeconfig: string;
  credentials: Credentials;
  admin: KubernetesClient;
  images: string | undefined;
}): Promise<ChildSpec | undefined> {
  if (!existsSync(path.join(PACKAGE_DIR, PROGRAM))) return undefined;
  const server = await at.credentials.serverFiles('node-agent');
  const env = {
    NODE_AGENT_KUBECONFIG: at.kubeconfig,
    NODE_AGENT_NODE_NAME: NODE_NAME,
    NODE_AGENT_STATE_DIR: path.join(at.dir, 'node'),
    NODE_AGENT_ADDRESS: LOOPBACK,
    NODE_AGENT_PORT: String(at.port),
    NODE_AGENT_TLS_CERT: server.certificate,
    NODE_AGENT_TLS_KEY: server.key,
    NODE_AGENT_CLIENT_CA: at.credentials.authorityFile,
    ...(at.images !== undefined && { NODE_AGENT_IMAGES: at.images }),
  };
  return {
    name: at.name,
    ...STOP.server,
    command: () => ({ ...nodeCommand(PROGRAM), cwd: at.dir, env: plainEnvironment(env), ipc: true }),
    ready: (_child, signal) => retryUntilResolved(() => requireReadyNode(at.admin), signal),
  };
}

interface Node {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function requireReadyNode(admin: KubernetesClient): Promise<void> {
  const node = await admin.request<Node>({ method: 'GET', path: `/api/v1/nodes/${NODE_NAME}` });
  const ready =
    node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  if (!ready) throw new UnavailableError(`the node ${NODE_NAME} is not ready`);
}
