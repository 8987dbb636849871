import { isClaimed } from '../../workflows/kubernetes/names.ts';
import { InputError, errorMessage } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { list, watch, type ApiList } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/process/log.ts';
import { areOursAlready, findOtherWriters, type WrittenObject } from './status-writers.ts';

export interface SoleControllerDependencies {
  client: KubernetesClient;
  /** The namespace of our Leases and of the probes. */
  namespace: string;
  /** The only namespaces whose objects we control; an empty list means all namespaces. */
  namespaces: readonly string[];
  log: Log;
  signal: AbortSignal;
}

/** A built-in controller that we replace. */
export type Replaced = 'job' | 'cronjob';

interface Guarded {
  kind: 'Job' | 'CronJob';
  /** The name in paths of the API. */
  resource: 'jobs' | 'cronjobs';
  /** The built-in controller to switch off. */
  controller: string;
  /** The `spec` of the probe; no controller starts anything for it. */
  spec: object;
  /**
   * A status that a controller corrects at once, although the probe is suspended; null when the controller writes a
   * status in any case.
   */
  status: object | null;
}

const PROBE_POD = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'none' }] } },
};

const GUARDED: Record<Replaced, Guarded> = {
  job: {
    kind: 'Job',
    resource: 'jobs',
    controller: 'Job controller',
    spec: { suspend: true, parallelism: 0, ...PROBE_POD },
    status: null,
  },
  cronjob: {
    kind: 'CronJob',
    resource: 'cronjobs',
    controller: 'CronJob controller',
    spec: { suspend: true, schedule: '0 0 1 1 *', jobTemplate: { spec: PROBE_POD } },
    // A controller removes a listed Job that does not exist from the status (J-9.31) before it checks the suspension
    // (J-9.32).
    status: { active: [{ kind: 'Job', apiVersion: 'batch/v1', name: 'none', uid: 'none' }] },
  },
};

const PROBE_LABEL = 'jobledger.dev/probe';
/**
 * The time for which writes are watched, in milliseconds. A controller reacts to a new Job at once, and a busy
 * controller writes to other Jobs.
 */
const WATCHED_MS = 5000;

/**
 * If the replaced built-in controller is still running, both controllers write the same objects: they count the same
 * pods and start the same Jobs. The check therefore watches status writes for some seconds, with a suspended probe that
 * a running controller would update. The check is skipped when the last writes are our own (J-4.34), for example after
 * a restart. @throws InputError when another controller writes the status of objects that we control.
 */
export async function requireSoleController(
  dependencies: SoleControllerDependencies,
  replaced: Replaced = 'job',
): Promise<void> {
  const { client, namespace, namespaces, signal } = dependencies;
  const guarded = GUARDED[replaced];
  // The namespace of the probe is read too, because it shows the writes to the probe.
  const read = namespaces.length === 0 ? [undefined] : [...new Set([...namespaces, namespace])];
  const paths = read.map((each) => collectionPath(guarded, each));
  const all = await Promise.all(
    paths.map(async (path) => ({ path, ...(await list<WrittenObject>(client, path, '', signal)) })),
  );
  const items = all.flatMap((each) => each.items);
  for (const { metadata } of items)
    if (metadata.namespace === namespace && metadata.labels?.[PROBE_LABEL] !== undefined)
      await removeProbe(dependencies, guarded, metadata.name);
  if (areOursAlready(items)) return;
  const probe = await createProbe(dependencies, guarded);
  try {
    const watched = AbortSignal.any([signal, AbortSignal.timeout(WATCHED_MS)]);
    const seen = await findFirstWrite(client, { all, probe, status: guarded.status }, watched);
    signal.throwIfAborted();
    if (seen !== null) throw new InputError(refusalText(client.cluster, replaced, seen));
  } finally {
    if (probe !== null) await removeProbe(dependencies, guarded, probe.metadata.name);
  }
}

/** A listed collection. */
type Listed = ApiList<WrittenObject> & { path: string };

/** The watched objects: the collections, and the probe with its initial status. */
interface Watching {
  all: readonly Listed[];
  probe: WrittenObject | null;
  status: object | null;
}

/** The first status write in any of the watches; null if no write comes until `signal` is aborted. */
async function findFirstWrite(
  client: KubernetesClient,
  { all, probe, status }: Watching,
  signal: AbortSignal,
): Promise<StatusWrite | null> {
  const found = new AbortController();
  const until = AbortSignal.any([signal, found.signal]);
  const writes = await Promise.all(
    all.map(async (listed) => {
      const seen = await findWriteByOther(client, listed, { probe, status }, until);
      if (seen !== null) found.abort();
      return seen;
    }),
  );
  return writes.find((each) => each !== null) ?? null;
}

interface StatusWrite {
  /** `<namespace>/<name>`. */
  written: string;
  manager: string;
}

/**
 * The first status write by another writer after the list, to an object that we control; null without such a write.
 */
async function findWriteByOther(
  client: KubernetesClient,
  { path, items, metadata: { resourceVersion } }: Listed,
  { probe, status }: Pick<Watching, 'probe' | 'status'>,
  signal: AbortSignal,
): Promise<StatusWrite | null> {
  const known = new Map(items.map((object) => [object.metadata.uid, findOtherWriters(object)]));
  let hadItsStatus = false;
  const from = { resourceVersion, timeoutSeconds: 60, idleMs: 60_000, signal };
  try {
    for await (const event of watch<WrittenObject>(client, path, from)) {
      if (!('object' in event) || !isClaimed('all', event.object.spec.managedBy)) continue;
      const { namespace, name, uid } = event.object.metadata;
      if (status !== null && uid === probe?.metadata.uid && event.type !== 'DELETED') {
        // A controller that empties the status owns no field of the status, so it does not appear as a manager.
        const hasIt = Object.keys(status).every((field) => field in (event.object.status ?? {}));
        if (hadItsStatus && !hasIt) return { written: `${namespace}/${name}`, manager: 'another controller' };
        hadItsStatus ||= hasIt;
      }
      for (const [manager, time] of findOtherWriters(event.object))
        if (known.get(uid)?.get(manager) !== time) return { written: `${namespace}/${name}`, manager };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return null;
}

function refusalText(cluster: string, replaced: Replaced, { written, manager }: StatusWrite): string {
  const { controller, resource } = GUARDED[replaced];
  const [given, instead] =
    replaced === 'job' ? ['--claim all', 'use --claim managed'] : ['cronjob', 'leave cronjob out'];
  return (
    `cluster "${cluster}": with ${given} Jobledger replaces the built-in ${controller}, but ${manager} ` +
    `is writing the status of such ${resource === 'jobs' ? 'Jobs' : 'CronJobs'} (seen on ${written}). Switch its ${controller} off ` +
    `(kube-controller-manager --controllers=*,-${replaced === 'job' ? 'job' : 'cronjob'}-controller), or ${instead}`
  );
}

/**
 * Creates the probe. Returns null when the API server does not allow the probe; then only writes to other objects are
 * detected.
 */
async function createProbe(
  { client, namespace, log, signal }: SoleControllerDependencies,
  guarded: Guarded,
): Promise<WrittenObject | null> {
  const { spec, status, controller, kind } = guarded;
  const metadata = { generateName: 'jobledger-probe-', labels: { [PROBE_LABEL]: 'job-controller' } };
  const body = { apiVersion: 'batch/v1', kind, metadata, spec };
  const path = collectionPath(guarded, namespace);
  try {
    const probe = await client.request<WrittenObject>({ method: 'POST', path, body, signal });
    if (status !== null)
      await client.request({
        method: 'PATCH',
        path: `${path}/${probe.metadata.name}/status`,
        contentType: 'application/merge-patch+json',
        body: { status },
        signal,
      });
    return probe;
  } catch (error) {
    log.warn(
      { cluster: client.cluster, namespace, error: errorMessage(error) },
      `the probe ${kind} could not be created, so an idle ${controller} is not detected`,
    );
    return null;
  }
}

/** Removes the probe. A failure is only logged, because the next start removes a remaining probe. */
async function removeProbe(
  { client, namespace, log }: SoleControllerDependencies,
  guarded: Guarded,
  name: string,
): Promise<void> {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
  await client
    .request({
      method: 'DELETE',
      path: `${collectionPath(guarded, namespace)}/${name}`,
      body,
      timeoutMs: 3000,
    })
    .catch((error: unknown) =>
      log.warn(
        { job: `${namespace}/${name}`, error: errorMessage(error) },
        `the probe ${guarded.kind} could not be removed`,
      ),
    );
}

function collectionPath({ resource }: Guarded, namespace?: string): string {
  return `/apis/batch/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}`;
}
