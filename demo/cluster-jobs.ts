import { setTimeout as delay } from 'node:timers/promises';
import type { Addresses } from '../infra/local/state/addresses.ts';
import { applyManifests } from '../infra/local/cluster/apply-manifests.ts';
import { isFinished, trueCondition } from '../workflows/batch/conditions.ts';
import type { Job, JobStatus, Pod } from '../workflows/kubernetes/objects.ts';
import { isAbsent, JobledgerError } from '../services/adapters/errors.ts';
import { createKubernetesClient, type KubernetesClient } from '../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../services/adapters/kubernetes/connection.ts';

/** Jobs and pods of the local cluster, accessed with the administrator's rights. */
export interface ClusterJobs {
  /** Deletes a Job with its pods and resolves when they are gone; resolves to false when the Job did not exist. */
  remove(name: string): Promise<boolean>;
  /** Applies a manifest file that contains one Job, and returns the Job. */
  apply(manifest: string): Promise<Job>;
  /** Resolves when the Job is Complete. @throws JobledgerError when it fails. */
  complete(job: Job, onChange: (status: JobStatus) => void): Promise<void>;
  /** The log of the Job's succeeded pod. */
  log(job: Job): Promise<string>;
}

const NAMESPACE = 'default';
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const POLL_MS = 300;

export function connectLocalCluster(addresses: Addresses, signal: AbortSignal): ClusterJobs {
  const client = adminClient(addresses);
  const pause = (): Promise<void> => delay(POLL_MS, undefined, { signal });
  return {
    async remove(name) {
      if ((await readObject<Job>(client, `${JOBS}/${name}`)) === undefined) return false;
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      await client.request({ method: 'DELETE', path: `${JOBS}/${name}`, body });
      while ((await readObject<Job>(client, `${JOBS}/${name}`)) !== undefined) await pause();
      while ((await listPods(client, name)).length > 0) await pause();
      return true;
    },
    async apply(manifest) {
      const [job] = await applyManifests(client, manifest);
      return job as Job;
    },
    async complete({ metadata: { name, uid } }, onChange) {
      for (let reported = ''; ; await pause()) {
        const job = await readObject<Job>(client, `${JOBS}/${name}`);
        if (job?.metadata.uid !== uid) throw new JobledgerError(`the Job ${name} was deleted`);
        const status = job.status ?? {};
        if (JSON.stringify(status) !== reported) onChange(status);
        reported = JSON.stringify(status);
        if (isFinished(status)) return requireNotFailed(name, status);
      }
    },
    async log({ metadata: { name } }) {
      const pod = (await listPods(client, name)).find(({ status }) => status?.phase === 'Succeeded');
      if (pod === undefined) throw new JobledgerError(`the Job ${name} has no pod that succeeded`);
      return streamText(await client.stream({ method: 'GET', path: `${PODS}/${pod.metadata.name}/log` }));
    },
  };
}

function adminClient({ adminKubeconfig, contexts = [] }: Addresses): KubernetesClient {
  if (adminKubeconfig === undefined) throw new JobledgerError('there is no local cluster');
  const [connection] = connectClusters({ kubeconfig: adminKubeconfig, contexts });
  if (connection === undefined) throw new JobledgerError(`${adminKubeconfig} contains no cluster`);
  return createKubernetesClient(connection);
}

/** Reads an object; undefined when it does not exist. */
async function readObject<T>(client: KubernetesClient, path: string): Promise<T | undefined> {
  try {
    return await client.request<T>({ method: 'GET', path });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function listPods(client: KubernetesClient, job: string): Promise<Pod[]> {
  const selector = encodeURIComponent(`batch.kubernetes.io/job-name=${job}`);
  const path = `${PODS}?labelSelector=${selector}`;
  return (await client.request<{ items: Pod[] }>({ method: 'GET', path })).items;
}

function requireNotFailed(name: string, status: JobStatus): void {
  const failed = trueCondition(status, 'Failed');
  if (failed === undefined) return;
  throw new JobledgerError(`the Job ${name} failed: ${failed.reason}, ${failed.message}`);
}

async function streamText(stream: AsyncIterable<unknown>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString('utf8');
}
