import { isClaimed } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { InputError, messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { list, watch } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/log.ts';
import { areOursAlready, otherWriters, type WrittenJob } from './status-writers.ts';

export interface SoleControllerDependencies {
  client: KubernetesClient;
  /** The namespace of our Leases, and of the probe Job while it exists. */
  namespace: string;
  log: Log;
  signal: AbortSignal;
}

const JOBS = '/apis/batch/v1/jobs';
const PROBE_LABEL = 'jobledger.dev/probe';
/** A controller reacts to a new Job at once; one that is too busy is seen writing to other Jobs. */
const WATCHED_MS = 5000;

/**
 * Under `--claim all` we replace the built-in Job controller; if both ran, they would count the same pods. So this
 * watches status writes for some seconds, with a suspended probe Job that a running controller would update. Skipped
 * when the last writes are our own (J-4.34), as after a restart.
 * @throws InputError when another controller writes the status of Jobs that we claim.
 */
export async function requireSoleController(dependencies: SoleControllerDependencies): Promise<void> {
  const { client, signal } = dependencies;
  const jobs = await list<WrittenJob>(client, JOBS, '', signal);
  for (const { metadata } of jobs.items)
    if (metadata.namespace === dependencies.namespace && metadata.labels?.[PROBE_LABEL] !== undefined)
      await remove(dependencies, metadata.name);
  if (areOursAlready(jobs.items)) return;
  const probe = await createProbe(dependencies);
  try {
    const watched = AbortSignal.any([signal, AbortSignal.timeout(WATCHED_MS)]);
    const seen = await writeByOther(client, jobs, watched);
    signal.throwIfAborted();
    if (seen !== null) throw new InputError(refusal(client.cluster, seen));
  } finally {
    if (probe !== null) await remove(dependencies, probe.metadata.name);
  }
}

interface StatusWrite {
  job: string;
  manager: string;
}

/** The first status write after the list, by another writer, to a Job that we claim; null when there is none. */
async function writeByOther(
  client: KubernetesClient,
  { items, metadata: { resourceVersion } }: { items: WrittenJob[]; metadata: { resourceVersion: string } },
  signal: AbortSignal,
): Promise<StatusWrite | null> {
  const known = new Map(items.map((job) => [job.metadata.uid, otherWriters(job)]));
  const from = { resourceVersion, timeoutSeconds: 60, idleMs: 60_000, signal };
  try {
    for await (const event of watch<WrittenJob>(client, JOBS, from)) {
      if (event.type === 'BOOKMARK' || !isClaimed('all', event.object.spec.managedBy)) continue;
      const { namespace, name, uid } = event.object.metadata;
      for (const [manager, time] of otherWriters(event.object))
        if (known.get(uid)?.get(manager) !== time) return { job: `${namespace}/${name}`, manager };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return null;
}

function refusal(cluster: string, { job, manager }: StatusWrite): string {
  return (
    `cluster "${cluster}": with --claim all Jobledger replaces the built-in Job controller, but ${manager} ` +
    `is writing the status of such Jobs (seen on ${job}). Switch its Job controller off ` +
    `(kube-controller-manager --controllers=*,-job-controller), or use --claim managed`
  );
}

/**
 * Creates a suspended Job, which starts no pods under any controller. Null when the API server does not allow it: then
 * only writes to other Jobs can be seen.
 */
async function createProbe({
  client,
  namespace,
  log,
  signal,
}: SoleControllerDependencies): Promise<Job | null> {
  const body = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { generateName: 'jobledger-probe-', labels: { [PROBE_LABEL]: 'job-controller' } },
    spec: {
      suspend: true,
      parallelism: 0,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'none' }] } },
    },
  };
  try {
    return await client.request<Job>({ method: 'POST', path: jobsIn(namespace), body, signal });
  } catch (error) {
    log.warn(
      { cluster: client.cluster, namespace, error: messageOf(error) },
      'the probe Job could not be created; an idle Job controller goes unnoticed',
    );
    return null;
  }
}

/** Best effort: a remaining probe Job is removed at the next start. */
async function remove({ client, namespace, log }: SoleControllerDependencies, name: string): Promise<void> {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
  await client
    .request({ method: 'DELETE', path: `${jobsIn(namespace)}/${name}`, body, timeoutMs: 3000 })
    .catch((error: unknown) =>
      log.warn(
        { job: `${namespace}/${name}`, error: messageOf(error) },
        'the probe Job could not be removed',
      ),
    );
}

function jobsIn(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}
