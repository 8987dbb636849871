import { isAbsent, JobledgerError } from '../../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';

/** A container cannot be created because its configuration refers to something missing or unsupported. */
export class ConfigError extends JobledgerError {
  override readonly name = 'ConfigError';
}

/** Reads ConfigMaps and Secrets (undefined when the object does not exist) and requests tokens. */
export interface ClusterObjects {
  configMap(namespace: string, name: string): Promise<Record<string, Buffer> | undefined>;
  secret(namespace: string, name: string): Promise<Record<string, Buffer> | undefined>;
  /** A new token of the service account, bound to the pod. */
  token(request: TokenRequest): Promise<string>;
}

interface TokenRequest {
  namespace: string;
  serviceAccount: string;
  pod: { name: string; uid: string };
  audience?: string;
  expirationSeconds?: number;
}

interface Entries {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
}

/** Reads from the API server at each container start, without a cache. */
export function createClusterObjects(client: KubernetesClient): ClusterObjects {
  const getEntries = async (path: string): Promise<Entries | undefined> => {
    try {
      return await client.request<Entries>({ method: 'GET', path });
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  };
  return {
    async configMap(namespace, name) {
      const found = await getEntries(`/api/v1/namespaces/${namespace}/configmaps/${name}`);
      return found && { ...decodeEntries(found.data, 'utf8'), ...decodeEntries(found.binaryData, 'base64') };
    },
    async secret(namespace, name) {
      const found = await getEntries(`/api/v1/namespaces/${namespace}/secrets/${name}`);
      return found && decodeEntries(found.data, 'base64');
    },
    token: (request) => requestToken(client, request),
  };
}

function decodeEntries(
  entries: Record<string, string> | undefined,
  encoding: BufferEncoding,
): Record<string, Buffer> {
  return Object.fromEntries(
    Object.entries(entries ?? {}).map(([key, text]) => [key, Buffer.from(text, encoding)]),
  );
}

async function requestToken(client: KubernetesClient, request: TokenRequest): Promise<string> {
  const { status } = await client.request<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${request.namespace}/serviceaccounts/${request.serviceAccount}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: request.audience === undefined ? [] : [request.audience],
        expirationSeconds: request.expirationSeconds ?? 3600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...request.pod },
      },
    },
  });
  return status.token;
}
