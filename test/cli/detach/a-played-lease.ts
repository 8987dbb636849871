import { KubernetesApiError } from '../../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import type { LeaseRef } from '../../../services/adapters/kubernetes/lease.ts';

interface Stored {
  metadata: { resourceVersion: string };
  spec: { holderIdentity: string; renewTime: string; leaseDurationSeconds: number };
}

/** An API server with one Lease, and who has held it. */
export function aPlayedLease(holder: string | null, refusal: KubernetesApiError | null = null) {
  let version = 1;
  let stored = holder === null ? null : aLease(holder, 'long ago', version);
  const holders: string[] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    request<R>({ method, body }: ApiRequest): Promise<R> {
      if (method === 'GET')
        return stored === null
          ? Promise.reject(refused(404, 'NotFound'))
          : Promise.resolve({ ...stored } as R);
      if (refusal !== null) return Promise.reject(refusal);
      const { spec } = body as Stored;
      version += 1;
      stored = { metadata: { resourceVersion: String(version) }, spec };
      holders.push(spec.holderIdentity);
      return Promise.resolve({ ...stored } as R);
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  const lease: LeaseRef = {
    client,
    namespace: 'jobledger',
    name: 'lease',
    signal: new AbortController().signal,
  };
  return {
    lease,
    /** Each holder that was written, in order; empty: the Lease was freed. */
    holders,
    /** As a living ingester does. */
    renew(by: string): void {
      version += 1;
      stored = aLease(by, String(version), version);
    },
    free(): void {
      stored = aLease('', '', version);
    },
  };
}

function aLease(holderIdentity: string, renewTime: string, version: number): Stored {
  return {
    metadata: { resourceVersion: String(version) },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 5 },
  };
}

export function refused(status: number, reason: string): KubernetesApiError {
  const details = { kind: 'leases', group: 'coordination.k8s.io', name: 'lease' };
  const object = { resource: 'leases', group: 'coordination.k8s.io', name: 'lease' };
  return new KubernetesApiError({
    status,
    reason,
    message: reason,
    causes: [],
    details,
    object,
  });
}
