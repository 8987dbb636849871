import type { Job, JobSpec, Pod, PodSpec, PodTemplate } from '../../workflows/kubernetes/objects.ts';
import { isFinished } from '../../workflows/batch/conditions.ts';
import { OWN_MANAGER, type Claim } from '../../workflows/kubernetes/names.ts';
import { createKubernetesClient, type KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import { eventually } from './eventually.ts';

/** A cluster, used as its administrator. */
export interface TestCluster {
  client: KubernetesClient;
  /** The namespace of its Jobs, pods and Events. */
  namespace: string;
  /** The same cluster with a new namespace. */
  inNewNamespace(name: string): Promise<TestCluster>;
  createJob(name: string, spec: Partial<JobSpec>, pod: PodFields): Promise<Job>;
  job(name: string): Promise<Job | undefined>;
  patchJob(name: string, patch: unknown): Promise<Job>;
  deleteJob(name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  /** Pods of a Job, by creation time. */
  listPods(name: string): Promise<Pod[]>;
  deletePod(name: string, graceSeconds?: number): Promise<void>;
  pod(name: string): Promise<Pod | undefined>;
  /** Creates a pod without controller. */
  createPod(name: string, metadata: Partial<Pod['metadata']>): Promise<Pod>;
  patchPod(name: string, patch: unknown): Promise<Pod>;
  /** Reasons and messages of a Job's Events, by time. */
  eventsOn(job: Job): Promise<string[]>;
  jobWhere(name: string, what: string, holds: (job: Job) => boolean, seconds?: number): Promise<Job>;
  finished(name: string, seconds?: number): Promise<Job>;
}

/** The pod of a Job's template; `metadata` is the template's. */
type PodFields = Partial<PodSpec> & { command?: string[]; metadata?: NonNullable<PodTemplate['metadata']> };

/** Under `all`, Jobs have no `managedBy`, as if their authors did not know us. */
export function connectTestCluster(
  kubeconfig: string,
  context: string,
  claim: Claim = 'managed',
  namespace = 'default',
): TestCluster {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const core = `/api/v1/namespaces/${namespace}`;
  const managedBy = claim === 'managed' ? { managedBy: OWN_MANAGER } : {};
  const [connection] = connectClusters({ kubeconfig, contexts: [context] });
  if (connection === undefined) throw new Error(`no context ${context}`);
  const client = createKubernetesClient(connection);
  const job = (name: string): Promise<Job | undefined> =>
    orNone(client.request<Job>({ method: 'GET', path: `${jobs}/${name}` }));
  const jobWhere: TestCluster['jobWhere'] = (name, what, holds, seconds = 30) =>
    eventually(`Job ${name} ${what}`, seconds, async () => {
      const found = await job(name);
      return found !== undefined && holds(found) ? found : undefined;
    });
  return {
    client,
    namespace,
    async inNewNamespace(name) {
      await client.request({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      });
      // Without this service account no pod is admitted.
      const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
      await eventually(`namespace ${name} has its account`, 20, () =>
        orNone(client.request({ method: 'GET', path: account })),
      );
      return connectTestCluster(kubeconfig, context, claim, name);
    },
    job,
    jobWhere,
    createJob: (name, spec, pod) =>
      client.request<Job>({
        method: 'POST',
        path: jobs,
        body: jobManifest(name, { ...managedBy, ...spec }, pod),
      }),
    patchJob: (name, body) =>
      client.request<Job>({
        method: 'PATCH',
        path: `${jobs}/${name}`,
        body,
        contentType: 'application/merge-patch+json',
      }),
    async deleteJob(name, propagationPolicy) {
      await client.request({
        method: 'DELETE',
        path: `${jobs}/${name}`,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy },
      });
    },
    async listPods(name) {
      const selector = encodeURIComponent(`batch.kubernetes.io/job-name=${name}`);
      const list = await client.request<{ items: Pod[] }>({
        method: 'GET',
        path: `${core}/pods?labelSelector=${selector}`,
      });
      return list.items.toSorted((a, b) =>
        a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp),
      );
    },
    pod: (name) => orNone(client.request<Pod>({ method: 'GET', path: `${core}/pods/${name}` })),
    createPod: (name, metadata) =>
      client.request<Pod>({
        method: 'POST',
        path: `${core}/pods`,
        body: {
          metadata: { name, ...metadata },
          spec: { containers: [{ name: 'main', image: 'none' }], terminationGracePeriodSeconds: 1 },
        },
      }),
    patchPod: (name, body) =>
      client.request<Pod>({
        method: 'PATCH',
        path: `${core}/pods/${name}`,
        body,
        contentType: 'application/merge-patch+json',
      }),
    async deletePod(name, gracePeriodSeconds) {
      const body = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      };
      await client.request({ method: 'DELETE', path: `${core}/pods/${name}`, body });
    },
    async eventsOn({ metadata }) {
      const selector = encodeURIComponent(`involvedObject.uid=${metadata.uid}`);
      type Event = { reason: string; message: string; firstTimestamp: string };
      const list = await client.request<{ items: Event[] }>({
        method: 'GET',
        path: `${core}/events?fieldSelector=${selector}`,
      });
      return list.items
        .toSorted((a, b) => a.firstTimestamp.localeCompare(b.firstTimestamp))
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    finished: (name, seconds = 60) =>
      jobWhere(name, 'finishes', ({ status }) => isFinished(status ?? {}), seconds),
  };
}

export function jobManifest(
  name: string,
  spec: Partial<JobSpec>,
  { command = ['true'], metadata = {}, ...pod }: PodFields,
): unknown {
  const containers = [{ name: 'main', image: 'none', command }];
  const podSpec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers, ...pod };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { ...spec, template: { metadata, spec: podSpec } },
  };
}

/** Undefined for 404. */
async function orNone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubernetesApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** A command that fails this many times, over all pods of its Job, before it succeeds. */
export function failingFirst(times: number, folder: string): string[] {
  // Only one process can create a given directory, so attempts are counted even when two run at once.
  const tries = Array.from({ length: times }, (_none, at) => `mkdir ${folder}/${at} 2>/dev/null && exit 3`);
  return ['sh', '-c', [...tries, 'exit 0'].join('; ')];
}
