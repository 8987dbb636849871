import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import type { ModelCluster } from './model-cluster.ts';
import { beginEpoch } from './model-cluster-ledger.ts';

/** A copy of everything that the API server stores. */
export interface ModelCopy {
  job: Job | null;
  pods: Map<string, Pod>;
  version: number;
}

export function copyModel({ api }: ModelCluster): ModelCopy {
  return { job: api.job, pods: new Map(api.pods), version: api.version };
}

/** Restores the API server from a copy: versions begin anew after that of the copy, and the ingester notices. */
export function restoreFromCopy(cluster: ModelCluster, copy: ModelCopy): void {
  const { api, ledger } = cluster;
  api.job = copy.job;
  api.pods = new Map(copy.pods);
  api.version = copy.version;
  api.journal = { jobs: [], pods: [] };
  for (const pod of copy.pods.values()) api.latest.set(pod.metadata.uid, pod);
  ledger.read = { jobs: 0, pods: 0 };
  // Pods that ran unseen after the copy was made may run again.
  api.isRestored = true;
  if (copy.job !== null) api.journal.jobs.push({ type: 'seen', object: copy.job });
  beginEpoch(ledger, api);
}
