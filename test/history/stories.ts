import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { JobFields } from '../support/builders.ts';
import {
  sendUserRequest,
  createModelCluster,
  deliverAll,
  settleDown,
  runWorkflowTask,
  type ModelCluster,
} from '../support/model-cluster.ts';
import { patchJobSpec } from '../support/model-cluster-api.ts';
import { stepPod, type Fate } from '../support/model-cluster-kubelet.ts';

/** The stream of a Job that ran to its end on the model of a cluster, with these ends of its pods. */
export async function aRunJob(
  job: JobFields,
  fate: Fate = () => 'Succeeded',
  settings: Partial<Settings> = {},
): Promise<JobEvent[]> {
  const cluster = createModelCluster(job, fate, { ...DEFAULT_SETTINGS, ...settings });
  await settleDown(cluster);
  return cluster.ledger.events;
}

/** The same with pods that run for this many seconds each. */
export async function aSlowJob(
  seconds: number,
  job: JobFields,
  fate: Fate = () => 'Succeeded',
): Promise<JobEvent[]> {
  const cluster = createModelCluster(job, fate);
  while (await step(cluster, seconds * 1000)) continue;
  return cluster.ledger.events;
}

/** Suspended from the beginning, and resumed by a user request to Jobledger. */
export async function aResumedJob(job: JobFields): Promise<JobEvent[]> {
  const cluster = createModelCluster({ ...job, suspend: true }, () => 'Succeeded');
  await settleDown(cluster);
  sendUserRequest(cluster, 'resume');
  await settleDown(cluster);
  return cluster.ledger.events;
}

/** Its spec is changed before the first status write: only the answer to the write shows the change in time. */
export async function aJobChangedBelowUs(job: JobFields, change: JobFields): Promise<JobEvent[]> {
  const cluster = createModelCluster(job, () => 'Succeeded');
  deliverAll(cluster);
  patchJobSpec(cluster.api, change);
  await runWorkflowTask(cluster);
  await settleDown(cluster);
  return cluster.ledger.events;
}

/** The first few creations fail, the others succeed. */
export function failingFirst(count: number): Fate {
  return (creation) => (creation < count ? 'Failed' : 'Succeeded');
}

/** False when nothing happens any more. */
async function step(cluster: ModelCluster, lasts: number): Promise<boolean> {
  const { api, workflow, fate } = cluster;
  const before = cluster.ledger.events.length;
  const hasNews = deliverAll(cluster);
  await runWorkflowTask(cluster);
  const due = (pod: Pod): number => (isRunning(pod) ? Date.parse(pod.metadata.creationTimestamp) + lasts : 0);
  const pods = [...api.pods.values()];
  const stepped = pods.filter((pod) => due(pod) <= api.now && stepPod(api, pod.metadata.name, fate));
  if (hasNews || stepped.length > 0 || cluster.ledger.events.length > before) {
    api.now += 200;
    return true;
  }
  const later = [...pods.map(due), workflow.nextDecisionAt ?? 0].filter((at) => at > api.now);
  if (later.length > 0) api.now = Math.min(...later);
  return later.length > 0;
}

function isRunning({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase === 'Running';
}
