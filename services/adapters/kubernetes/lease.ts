import { InputError, isAbsent, isConflict, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { pause } from '../waiting/pause.ts';
import { logFailures } from '../waiting/retry.ts';
import type { KubernetesClient } from './client.ts';

interface Lease {
  metadata: {
    name: string;
    namespace: string;
    resourceVersion?: string;
    annotations?: Record<string, string>;
  };
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface LeaseOptions {
  client: KubernetesClient;
  log: Log;
  namespace: string;
  name: string;
  identity: string;
  signal: AbortSignal;
  /**
   * Receives the reason and the number of failures in a row when the Lease cannot be acquired, and null and 0 after
   * each successful acquisition or renewal.
   */
  onTrouble?: (error: unknown, failures: number) => void;
  /** Annotations that this process writes with each renewal. */
  annotations?: () => Record<string, string>;
}

/** A period in which this process holds the Lease. */
export interface Leadership {
  /** The signal that is aborted when the period ends. */
  signal: AbortSignal;
  /**
   * False when another process may soon acquire the Lease, which can be before `signal` is aborted. The process must
   * check this value before each effect.
   */
  isHeld(): boolean;
}

/** A holder that has not renewed the Lease for this long is considered dead. */
export const DURATION_SECONDS = 5;
/**
 * A holder that could not renew for this long stops (client-go's renewDeadline < leaseDuration), so that work in
 * progress can finish before the Lease expires. The time is counted from the request of the last renewal, on a monotonic clock.
 */
const RENEW_DEADLINE_MS = 4000;
const RENEW_MS = 1500;
const RETRY_MS = 500;
const ANSWER_MS = 3000;
export const NOT_ACQUIRED = 'the Lease could not be acquired; trying again';

/**
 * Runs `lead` while this process holds the Lease, until `signal` is aborted. After a loss, the process acquires the
 * Lease and runs `lead` again. At the end the process releases the Lease, so that a standby takes over at once. Calls
 * `onStandby` with the holder while another process holds it.
 * @throws an InputError of `lead`; after any other error, `lead` runs again.
 */
export async function whileLeading(
  options: LeaseOptions,
  lead: (leadership: Leadership) => Promise<void>,
  onStandby: (holder: string) => void,
): Promise<void> {
  const { log, signal, onTrouble } = options;
  const lease = `${options.namespace}/${options.name}`;
  const logTrouble = logFailures(log, NOT_ACQUIRED, { lease });
  let failures = 0;
  let seen = { renewal: '', at: 0 };
  while (!signal.aborted) {
    try {
      const found = await readLease(options);
      const holder = found?.spec.holderIdentity ?? '';
      const renewal = `${holder}/${found?.spec.renewTime}`;
      if (seen.renewal !== renewal) seen = { renewal, at: performance.now() };
      const isFree = holder === '' || holder === options.identity;
      const isDead =
        performance.now() - seen.at > (found?.spec.leaseDurationSeconds ?? DURATION_SECONDS) * 1000;
      if (isFree || isDead) {
        const held = await writeLease(options, found, options.identity);
        failures = 0;
        onTrouble?.(null, 0);
        await holdAndLead(options, held, lead);
      } else {
        failures = 0;
        onTrouble?.(null, 0);
        onStandby(holder);
      }
    } catch (error) {
      if (error instanceof InputError) throw error;
      // A conflict means that another process acquired the Lease first; the next read finds its name.
      if (!isConflict(error) && !signal.aborted) {
        failures += 1;
        (onTrouble ?? logTrouble)(error, failures);
      }
    }
    await pause(RETRY_MS, signal);
  }
}

interface HeldLease {
  lease: Lease;
  /**
   * The time of the request for the Lease, on the clock of `performance`. The Lease expires no earlier than its
   * duration after this time.
   */
  since: number;
}

async function holdAndLead(
  options: LeaseOptions,
  first: HeldLease,
  lead: (leadership: Leadership) => Promise<void>,
): Promise<void> {
  let { lease, since } = first;
  const isHeld = (): boolean => performance.now() - since < RENEW_DEADLINE_MS;
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  options.log.info({ lease: lease.metadata.name }, 'leading');
  const leading = lead({ signal, isHeld });
  const ended = new AbortController();
  leading.then(
    () => ended.abort(),
    () => ended.abort(),
  );
  const over = AbortSignal.any([signal, ended.signal]);
  for (let wait = RENEW_MS; !over.aborted;) {
    await pause(wait, over);
    if (over.aborted) break;
    try {
      ({ lease, since } = await writeLease(options, lease, options.identity, since + RENEW_DEADLINE_MS));
      wait = RENEW_MS;
      options.onTrouble?.(null, 0);
    } catch (error) {
      wait = RETRY_MS;
      const current = isConflict(error) ? await readLease(options).catch(() => null) : lease;
      // If the response to our own write was lost, the conflict does not mean another holder.
      const isOurs = current?.spec.holderIdentity === options.identity && !isAbsent(error);
      if (current !== null && isOurs) lease = current;
      if (!isOurs || !isHeld()) lost.abort();
      options.log.warn(
        { lease: lease.metadata.name, error: errorMessage(error) },
        lost.signal.aborted ? 'the Lease is lost' : 'the Lease could not be renewed',
      );
    }
  }
  lost.abort();
  try {
    await leading;
  } catch (error) {
    if (error instanceof InputError) throw error;
    options.log.error(
      { lease: lease.metadata.name, error: errorMessage(error) },
      'the work as leader failed; trying again',
    );
  } finally {
    await writeLease(options, lease, '').catch(() => undefined);
  }
}

/** Access to one Lease of the cluster. */
export type LeaseRef = Pick<LeaseOptions, 'client' | 'namespace' | 'name' | 'signal'>;

/** The present Lease; null when the Lease does not exist. */
export async function readLease({ client, namespace, name, signal }: LeaseRef): Promise<Lease | null> {
  try {
    return await client.request<Lease>({
      method: 'GET',
      path: leasePath(namespace, name),
      signal,
      timeoutMs: ANSWER_MS,
    });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/**
 * Writes the Lease; an empty `holderIdentity` releases the Lease. The request ends at `until`, on the clock of `performance`.
 */
async function writeLease(
  { client, namespace, name, annotations }: LeaseOptions,
  before: Lease | null,
  holderIdentity: string,
  until = Infinity,
): Promise<HeldLease> {
  const now = microTimeNow();
  const isTakeover = before?.spec.holderIdentity !== holderIdentity;
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...(before?.metadata ?? { name, namespace }),
      ...(annotations !== undefined && {
        annotations: { ...before?.metadata.annotations, ...annotations() },
      }),
    },
    spec: {
      holderIdentity,
      leaseDurationSeconds: DURATION_SECONDS,
      renewTime: now,
      acquireTime: isTakeover ? now : before.spec.acquireTime,
      leaseTransitions: (before?.spec.leaseTransitions ?? -1) + (isTakeover ? 1 : 0),
    },
  };
  const since = performance.now();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.max(0, Math.min(ANSWER_MS, until - since)));
  const { signal } = limit;
  try {
    const lease =
      before === null
        ? await client.request<Lease>({ method: 'POST', path: leasePath(namespace), body, signal })
        : await client.request<Lease>({ method: 'PUT', path: leasePath(namespace, name), body, signal });
    return { lease, since };
  } finally {
    clearTimeout(timer);
  }
}

export function leasePath(namespace: string, name?: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? '' : `/${name}`}`;
}

/** The present time as a MicroTime of the API, which has six fractional digits. */
export function microTimeNow(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
