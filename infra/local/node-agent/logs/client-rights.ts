import type { PeerCertificate } from 'node:tls';
import { isAllowedTo } from '../../../../services/adapters/kubernetes/access-review.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';

/** The sender of a request, from the certificate: its common name and organizations, as the API server reads them. */
export interface CertificateHolder {
  name: string;
  groups: string[];
}

/** True when the holder may read this node's logs. */
export type MayReadLogs = (holder: CertificateHolder) => Promise<boolean>;

/** The holder of a verified certificate. */
export function certificateHolder({ subject }: PeerCertificate): CertificateHolder {
  return { name: [subject.CN].flat()[0] ?? '', groups: [subject.O ?? []].flat() };
}

/**
 * Returns a check of a client's right to read logs: a client may read logs if it may `get` `nodes/proxy` of this node,
 * as a kubelet requires.
 */
export function mayReadLogs(client: KubernetesClient, node: string): MayReadLogs {
  const access = {
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'nodes',
    subresource: 'proxy',
    name: node,
  };
  return (holder) => isAllowedTo(client, holder, access);
}
