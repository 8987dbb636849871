import { InputError, KubernetesApiError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { KubernetesClient } from './client.ts';

interface Lease {
  metadata: { name: string; namespace: string; resourceVersion?: string };
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
  /** Told why the Lease cannot be had, or null once it can. */
  onTrouble?: (error: unknown) => void;
}

/** The time during which the Lease is ours. */
export interface Leadership {
  /** Aborted when it is over. */
  signal: AbortSignal;
  /** False once another one may hold the Lease soon, which can be before `signal` is aborted. Asked before each effect. */
  isHeld(): boolean;
}

/** A holder that has not renewed for so long is taken to be dead. */
const DURATION_SECONDS = 5;
/**
 * A holder that could not renew for so long stops by itself (client-go's renewDeadline < leaseDuration): what it has begun
 * by then has the rest of the time to end. Counted from when the last renewal was asked for, by a clock that nobody sets.
 */
const RENEW_DEADLINE_MS = 4000;
const RENEW_MS = 1500;
const RETRY_MS = 500;
const ANSWER_MS = 3000;

/**
 * Runs `lead` while this process holds the Lease, again after each loss, until `signal` is aborted; then the Lease is
 * given back, so that a standby need not wait. `onStandby` is told when another one holds it.
 * @throws InputError that `lead` threw; after any other error it is run again.
 */
export async function whileLeading(
  options: LeaseOptions,
  lead: (leadership: Leadership) => Promise<void>,
  onStandby: (holder: string) => void,
): Promise<void> {
  const { log, signal, onTrouble } = options;
  const lease = `${options.namespace}/${options.name}`;
  let seen = { renewal: '', at: 0 };
  while (!signal.aborted) {
    try {
      const found = await read(options);
      const holder = found?.spec.holderIdentity ?? '';
      const renewal = `${holder}/${found?.spec.renewTime}`;
      if (seen.renewal !== renewal) seen = { renewal, at: performance.now() };
      const isFree = holder === '' || holder === options.identity;
      const isDead =
        performance.now() - seen.at > (found?.spec.leaseDurationSeconds ?? DURATION_SECONDS) * 1000;
      if (isFree || isDead) {
        const held = await write(options, found, options.identity);
        onTrouble?.(null);
        await holdAndLead(options, held, lead);
      } else {
        onTrouble?.(null);
        onStandby(holder);
      }
    } catch (error) {
      if (error instanceof InputError) throw error;
      // After a conflict another one was quicker, and is found holding it.
      if (!isConflict(error) && !signal.aborted) {
        if (onTrouble === undefined)
          log.warn({ lease, error: messageOf(error) }, 'the Lease cannot be had now; trying again');
        else onTrouble(error);
      }
    }
    await pause(RETRY_MS, signal);
  }
}

interface HeldLease {
  lease: Lease;
  /** When it was asked for: from then on it is ours, at the least. */
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
      ({ lease, since } = await write(options, lease, options.identity, since + RENEW_DEADLINE_MS));
      wait = RENEW_MS;
    } catch (error) {
      wait = RETRY_MS;
      const current = isConflict(error) ? await read(options).catch(() => null) : lease;
      // Our own write, whose answer was lost, is no other holder.
      const isOurs = current?.spec.holderIdentity === options.identity && !isMissing(error);
      if (current !== null && isOurs) lease = current;
      if (!isOurs || !isHeld()) lost.abort();
      options.log.warn(
        { lease: lease.metadata.name, error: messageOf(error) },
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
      { lease: lease.metadata.name, error: messageOf(error) },
      'leading failed; trying again',
    );
  } finally {
    await write(options, lease, '').catch(() => undefined);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 409;
}

function isMissing(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.status === 404;
}

async function read({ client, namespace, name, signal }: LeaseOptions): Promise<Lease | null> {
  try {
    return await client.request<Lease>({
      method: 'GET',
      path: path(namespace, name),
      signal,
      timeoutMs: ANSWER_MS,
    });
  } catch (error) {
    if (isMissing(error) && error instanceof KubernetesApiError && error.reason === 'NotFound') return null;
    throw error;
  }
}

/** Nobody's when `holderIdentity` is empty. Given up at `until`, on the clock of `performance`. */
async function write(
  { client, namespace, name }: LeaseOptions,
  before: Lease | null,
  holderIdentity: string,
  until = Infinity,
): Promise<HeldLease> {
  const now = new Date().toISOString().replace('Z', '000Z');
  const isTakeover = before?.spec.holderIdentity !== holderIdentity;
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: before?.metadata ?? { name, namespace },
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
        ? await client.request<Lease>({ method: 'POST', path: path(namespace), body, signal })
        : await client.request<Lease>({ method: 'PUT', path: path(namespace, name), body, signal });
    return { lease, since };
  } finally {
    clearTimeout(timer);
  }
}

function path(namespace: string, name?: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? '' : `/${name}`}`;
}
