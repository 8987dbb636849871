import type { Core } from '../../workflows/cores/cores.ts';
import { podFinishTime } from '../../workflows/job/observe/finish-time.ts';
import { isFinished } from '../../workflows/batch/conditions.ts';
import type { RequestReceived } from '../../workflows/job/events.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { Settings } from '../../workflows/job/settings.ts';
import { CLUSTER, JOB_NAME, JOB_UID, jobObject, START, type JobFields } from './builders.ts';
import {
  createModelApi,
  isTracked,
  ModelViolation,
  type ModelApi,
  type Request,
  type Trouble,
} from './model-cluster-api.ts';
import { stepPod, type Fate } from './model-cluster-kubelet.ts';
import { createModelLedger, dispatch, watch, type ModelLedger } from './model-cluster-ledger.ts';
import { createModelWorkflow, runTask, type Crash, type ModelWorkflow } from './model-cluster-workflow.ts';

/** One Job with everything around it: API server, kubelet, ingester, ledger, dispatcher and workflow. */
export interface ModelCluster {
  api: ModelApi;
  ledger: ModelLedger;
  workflow: ModelWorkflow;
  fate: Fate;
}

export function createModelCluster(
  job: JobFields,
  fate: Fate,
  settings?: Settings,
  core?: Core,
): ModelCluster {
  const api = createModelApi(jobObject({ ...job, version: '100' }), START);
  return { api, ledger: createModelLedger(core), workflow: createModelWorkflow(settings, core), fate };
}

/** The next requests of a kind get this fault, this many times. */
export function failNextRequests(
  { api }: ModelCluster,
  trouble: Exclude<Trouble, null>,
  times: number,
  isMeant: (request: Request) => boolean,
): void {
  let left = times;
  api.trouble = (request) => {
    if (left === 0 || !isMeant(request)) return null;
    left -= 1;
    return trouble;
  };
}

const REASONS = { 403: 'Forbidden', 409: 'Conflict', 422: 'Invalid' } as const;

/** From now on all changes of these kinds are refused, or only those of pods at one place among the existing ones. */
export function refuseChanges(
  { api }: ModelCluster,
  verbs: readonly string[],
  { status = 403, place }: { status?: keyof typeof REASONS; place?: number | undefined } = {},
): void {
  const refusal = { status, reason: REASONS[status], message: 'refused by a webhook' };
  const only = place === undefined ? undefined : [...api.pods.keys()][place];
  api.trouble = ({ verb, name }) =>
    verbs.includes(verb) && (only === undefined || name === only) ? refusal : null;
}

/** Refuses requests of these kinds: all, all after the first few, or only the first few. */
export function refuseSomeRequests(
  { api }: ModelCluster,
  refused: readonly { verb: string; after?: number; times?: number }[],
): void {
  const counts = new Map<string, number>();
  api.trouble = ({ verb }) => {
    const rule = refused.find((each) => each.verb === verb);
    if (rule === undefined) return null;
    const count = counts.get(verb) ?? 0;
    counts.set(verb, count + 1);
    const isRefused = count >= (rule.after ?? 0) && count < (rule.times ?? Infinity);
    return isRefused ? { status: 403, reason: 'Forbidden', message: 'refused by a webhook' } : null;
  };
}

/** One workflow task with everything delivered so far. */
export function runWorkflowTask(
  { workflow, api, ledger }: ModelCluster,
  crash: Crash | null = null,
): Promise<void> {
  return runTask(workflow, api, ledger.events, crash);
}

/** Delivers everything that has happened to the workflow. */
export function deliverAll({ api, ledger, workflow }: ModelCluster): boolean {
  const seen = [watch(ledger, api, 'jobs', Infinity), watch(ledger, api, 'pods', Infinity)];
  const facts = dispatch(ledger, Infinity, false);
  workflow.inbox.push(...facts);
  return seen.includes(true) || facts.length > 0;
}

/** The request reaches the workflow, and is recorded before the decision that names it. */
export function sendUserRequest({ api, ledger, workflow }: ModelCluster, action: 'suspend' | 'resume'): void {
  const event = withDigest<RequestReceived>({
    id: `${CLUSTER}/${JOB_UID}/request/${ledger.events.length}`,
    type: 'request.received',
    source: CLUSTER,
    subject: `default/${JOB_NAME}`,
    time: new Date(api.now).toISOString(),
    data: { cluster: CLUSTER, jobUid: JOB_UID, action, by: 'ann' },
  });
  ledger.events.push(event);
  const fact = workflow.core.compact(event);
  if (fact !== null) workflow.inbox.push(fact);
}

const MAX_ROUNDS = 400;

/** Runs without further faults until nothing happens any more. Returns the number of rounds. */
export async function settleDown(cluster: ModelCluster): Promise<number> {
  const { api, workflow, fate } = cluster;
  api.trouble = () => null;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const hasNews = deliverAll(cluster);
    const events = cluster.ledger.events.length;
    await runWorkflowTask(cluster);
    const hasWorked = cluster.ledger.events.length > events;
    const stepped = [...api.pods.keys()].map((name) => stepPod(api, name, fate));
    if (hasNews || hasWorked || stepped.includes(true)) {
      api.now += 200;
      continue;
    }
    const next = workflow.nextDecisionAt;
    if (next === null) return round;
    if (next <= api.now) throw new ModelViolation('looks again at an instant that has passed');
    api.now = next;
  }
  throw new ModelViolation(`no end after ${MAX_ROUNDS} rounds`);
}

export interface Ending {
  type: 'Complete' | 'Failed' | null;
  reason: string | undefined;
  created: number;
  succeeded: number;
  failed: number;
}

export function modelEnding({ api }: ModelCluster): Ending {
  const status: JobStatus = api.job?.status ?? {};
  const terminal = status.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  return {
    type: isFinished(status) ? (terminal?.type as 'Complete' | 'Failed') : null,
    reason: terminal?.reason,
    created: api.created.length,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
  };
}

/** Pods on the server that still carry a tracking finalizer. */
export function trackedPods({ api }: ModelCluster): string[] {
  return [...api.pods.values()].filter(isTracked).map(({ metadata }) => metadata.name);
}

/** The number of created pods that ended in this phase, by the server's last version of each pod. */
export function countEndedPods({ api }: ModelCluster, phase: 'Succeeded' | 'Failed'): number {
  return api.created.filter(({ metadata }) => api.latest.get(metadata.uid)?.status?.phase === phase).length;
}

/**
 * Pods created before the back-off was over, of a Job that runs one at a time. The back-off counts failures that
 * finished after the last success, to the second (J-5.40, J-5.42).
 */
export function hastyPods({ api }: ModelCluster): string[] {
  let [failures, lastSuccess, free] = [0, 0, 0];
  const hasty: string[] = [];
  for (const { metadata } of api.created) {
    if (Date.parse(metadata.creationTimestamp) < free) hasty.push(metadata.name);
    const last = api.latest.get(metadata.uid);
    const finished = last === undefined ? 0 : podFinishTime(last);
    if (last?.status?.phase === 'Succeeded') [failures, lastSuccess] = [0, finished];
    else if (finished > lastSuccess) failures += 1;
    free = failures === 0 ? 0 : finished + Math.min(10_000 * 2 ** (failures - 1), 600_000);
  }
  return hasty;
}
