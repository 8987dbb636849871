import { pause } from '../waiting/pause.ts';
import { DURATION_SECONDS, readLease, type LeaseRef } from './lease.ts';

const POLL_MS = 250;

/**
 * Returns the identity of the process that holds a Lease; null when no process holds it. The function watches the Lease
 * for its duration: a holder that does not renew the Lease in that time is dead. The function never compares the clocks
 * of two machines. The function returns within the duration, and at once when the Lease is free. @throws KubernetesApiError,
 * UnavailableError.
 */
export async function leaseHolder(lease: LeaseRef): Promise<string | null> {
  const first = await readLease(lease);
  if (isFree(first)) return null;
  const until = performance.now() + (first?.spec.leaseDurationSeconds ?? DURATION_SECONDS) * 1000;
  while (performance.now() < until && !lease.signal.aborted) {
    await pause(POLL_MS, lease.signal);
    const now = await readLease(lease);
    if (isFree(now)) return null;
    if (renewalKey(now) !== renewalKey(first)) return now?.spec.holderIdentity ?? null;
  }
  return null;
}

type Lease = Awaited<ReturnType<typeof readLease>>;

function isFree(lease: Lease): boolean {
  return (lease?.spec.holderIdentity ?? '') === '';
}

function renewalKey(lease: Lease): string {
  return `${lease?.spec.holderIdentity}/${lease?.spec.renewTime}`;
}
