import { KubernetesApiError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
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
}

/** A holder that has not renewed for so long is taken to be dead. */
const DURATION_SECONDS = 5;
const RENEW_MS = 1500;

/**
 * Runs `lead` while this process holds the Lease, again after each loss, until `signal` is aborted; then the Lease is
 * given back, so that a standby need not wait. `onStandby` is told when another one holds it.
 */
export async function whileLeading(
  options: LeaseOptions,
  lead: (signal: AbortSignal) => Promise<void>,
  onStandby: () => void,
): Promise<void> {
  let seen = { renewal: '', at: 0 };
  while (!options.signal.aborted) {
    try {
      const lease = await read(options);
      const renewal = `${lease?.spec.holderIdentity}/${lease?.spec.renewTime}`;
      if (seen.renewal !== renewal) seen = { renewal, at: Date.now() };
      const isFree =
        lease === null ||
        (lease.spec.holderIdentity ?? '') === '' ||
        lease.spec.holderIdentity === options.identity;
      const isDead = Date.now() - seen.at > (lease?.spec.leaseDurationSeconds ?? DURATION_SECONDS) * 1000;
      if (isFree || isDead) await holdAndLead(options, lease, lead);
      else onStandby();
    } catch (error) {
      if (!(error instanceof KubernetesApiError && error.status === 409)) {
        options.log.warn(
          { lease: `${options.namespace}/${options.name}`, error: messageOf(error) },
          'the Lease cannot be had now; trying again',
        );
      }
    }
    await pause(RENEW_MS / 3, options.signal);
  }
}

async function holdAndLead(
  options: LeaseOptions,
  before: Lease | null,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let lease = await write(options, before, options.identity);
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  options.log.info({ lease: lease.metadata.name }, 'leading');
  const leading = lead(signal);
  let renewedAt = Date.now();
  const ended = leading.then(
    () => true,
    () => true,
  );
  while (!signal.aborted) {
    if (await Promise.race([ended, pause(RENEW_MS, signal).then(() => false)])) break;
    if (signal.aborted) break;
    try {
      lease = await write(options, lease, options.identity);
      renewedAt = Date.now();
    } catch (error) {
      const isTaken = error instanceof KubernetesApiError && error.status === 409;
      // Without an answer nobody else can take it either; past its end it is not ours.
      if (isTaken || Date.now() - renewedAt > DURATION_SECONDS * 1000) lost.abort();
      options.log.warn(
        { error: messageOf(error) },
        lost.signal.aborted ? 'the Lease is lost' : 'the Lease could not be renewed',
      );
    }
  }
  lost.abort();
  await leading;
  await write(options, lease, '').catch(() => undefined);
}

async function read({ client, namespace, name, signal }: LeaseOptions): Promise<Lease | null> {
  try {
    return await client.request<Lease>({
      method: 'GET',
      path: path(namespace, name),
      signal,
      timeoutMs: 3000,
    });
  } catch (error) {
    if (error instanceof KubernetesApiError && error.status === 404 && error.reason === 'NotFound')
      return null;
    throw error;
  }
}

function write(
  { client, namespace, name }: LeaseOptions,
  before: Lease | null,
  holderIdentity: string,
): Promise<Lease> {
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
  if (before === null)
    return client.request<Lease>({ method: 'POST', path: path(namespace), body, timeoutMs: 3000 });
  return client.request<Lease>({ method: 'PUT', path: path(namespace, name), body, timeoutMs: 3000 });
}

function path(namespace: string, name?: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? '' : `/${name}`}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });
}
