import type { LeaseRef } from '../../../services/adapters/kubernetes/lease.ts';
import { leaseHolder } from '../../../services/adapters/kubernetes/lease-holder.ts';
import type { Poller } from '../../../services/adapters/temporal/pollers.ts';
import { isClaimed, OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { areOthersNow } from '../../../services/worker/status-writers.ts';
import type { Controlled, Surveyed } from './surveyed.ts';
import { countText } from '../../print/counted.ts';

/**
 * A worker without a poll for this time, in milliseconds, has stopped: a poll without a task ends after a minute, and the next poll begins at once.
 */
export const QUIET_MS = 75_000;

/** The reasons why a cluster must not be detached now, each with its remedy. */
export async function hindrances(
  leases: readonly LeaseRef[],
  pollers: () => Promise<readonly Poller[]>,
  quietMs: number,
): Promise<string[]> {
  const [held, polling] = await Promise.all([heldLeases(leases), pollers()]);
  return [...held, ...pollingText(polling, { now: Date.now(), quietMs })];
}

/**
 * Under the claim `all`, another controller may have taken over the Jobs without `managedBy`: that controller then needs the finalizers to count the
 * pods.
 */
export function takenOverText({ jobs }: Surveyed, { claim }: Controlled): string[] {
  if (claim !== 'all') return [];
  const ofClaim = jobs.filter(({ managedBy }) => managedBy !== OWN_MANAGER && isClaimed(claim, managedBy));
  return areOthersNow(ofClaim.map(({ writes }) => writes))
    ? [
        'another controller, such as the built-in one, wrote the last status of Jobs without spec.managedBy, and needs the finalizers to count the pods of these Jobs. Give --claim managed, which frees only the pods of Jobs that name Jobledger',
      ]
    : [];
}

/** The Leases that living processes hold, as text. */
export async function heldLeases(leases: readonly LeaseRef[]): Promise<string[]> {
  const holders = await Promise.all(
    leases.map(async (lease) => ({ lease, holder: await leaseHolder(lease) })),
  );
  return holders.flatMap(({ lease, holder }) => (holder === null ? [] : [heldText(lease, holder)]));
}

/** The message that a live process holds the Lease, with the way to stop the process. */
export function heldText({ namespace, name }: Pick<LeaseRef, 'namespace' | 'name'>, holder: string): string {
  return `${holder} holds the Lease ${namespace}/${name}: stop every ingester of this installation (in a cluster: kubectl -n ${namespace} scale deployment --selector app.kubernetes.io/component=ingester --replicas=0)`;
}

/** The messages about workers that poll. A worker that has just stopped is included, because the server does not know that it has stopped. */
export function pollingText(
  pollers: readonly Poller[],
  { now, quietMs }: { now: number; quietMs: number },
): string[] {
  return pollers
    .filter(({ polledAt }) => now - polledAt < quietMs)
    .map(({ identity, taskQueue, polledAt }) => {
      // A duration in whole seconds as text, at least one second.
      const seconds = (ms: number): string => countText(Math.max(1, Math.ceil(ms / 1000)), 'second');
      const rest = polledAt + quietMs - now;
      return `the worker ${identity} polled the task queue ${taskQueue} ${seconds(now - polledAt)} ago: stop every worker of this cluster; if this worker has already stopped, wait ${seconds(rest)} and try again`;
    });
}
