import { compact } from '../../../workflows/job/observe/compact.ts';
import type { RequestReceived, JobEvent } from '../../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { withDigest } from '../../../services/adapters/events/event-codec.ts';
import { CLUSTER, JOB_NAME, JOB_UID, jobObject, START } from '../../support/builders.ts';
import { createModelApi, deletePod, removeJob, type ModelApi } from '../../support/model-cluster-api.ts';
import { createModelLedger, relist, watch } from '../../support/model-cluster-ledger.ts';
import { createModelWorkflow } from '../../support/model-cluster-workflow.ts';
import { deliverAll, runWorkflowTask, type ModelCluster } from '../../support/model-cluster.ts';
import { createKubelet, type Kubelet } from './kubelet.ts';
import { BASE_VERSION, CHAIN, TEAM } from './marks.ts';
import type { Story } from './stories.ts';

const SETTINGS = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] as ('job' | 'ttl')[] };
/** Milliseconds from a change to its event in the ledger. */
const WATCH_MS = 30;
/** The longest possible life of a Job, its time to live included. */
const MAX_ROUNDS = 5000;

/** All events of one Job, made by the core itself against a model of a cluster. */
export async function play(story: Story, chance: () => number): Promise<JobEvent[]> {
  const api = createModelApi(storyJob(story), START);
  const workflow = { ...createModelWorkflow(SETTINGS), firstRunId: CHAIN };
  const cluster: ModelCluster = { api, workflow, ledger: createModelLedger(), fate: () => 'Succeeded' };
  const kubelet = createKubelet(api, (creation) => story.end(creation, chance), chance);
  const asks = [...(story.asks ?? [])];
  if (story.crashes === true) await crash(cluster);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await settle(cluster);
    const next = Math.min(
      kubelet.nextAt(),
      workflow.nextDecisionAt ?? Infinity,
      START + (asks[0]?.after ?? Infinity) * 1000,
      api.job === null ? Infinity : START + (story.vanishes ?? Infinity) * 1000,
    );
    if (next === Infinity) return cluster.ledger.events;
    api.now = Math.max(next, api.now);
    if (asks[0] !== undefined && api.now >= START + asks[0].after * 1000) ask(cluster, asks.shift()?.action);
    else if (story.vanishes !== undefined && api.now >= START + story.vanishes * 1000) vanish(cluster);
    else step(cluster, kubelet);
  }
  throw new Error(`the story ${story.name} has no end`);
}

function storyJob({ name, spec }: Story): ReturnType<typeof jobObject> {
  const job = jobObject({ version: String(BASE_VERSION), ...spec });
  const labels = { app: 'batch', team: TEAM };
  const selected = job.spec.selector?.matchLabels ?? {};
  const container = {
    name: 'main',
    image: 'registry.example/batch/main:4.12.1',
    command: ['/app/main', '--config', '/etc/batch/config.yaml', '--verbose'],
    env: [
      { name: 'REGION', value: 'eu-west' },
      { name: 'TOKEN', value: 'not for the ledger' },
    ],
    resources: { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/batch' }],
  };
  const template = {
    metadata: { labels: { ...labels, ...selected, 'batch.kubernetes.io/job-name': JOB_NAME } },
    spec: { restartPolicy: 'Never', serviceAccountName: 'batch', containers: [container] },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    ...job,
    // The runs of a story are a series.
    metadata: { ...job.metadata, generateName: `${name}-`, labels },
    spec: { parallelism: 1, completions: 1, ...job.spec, template },
  };
}

/** Runs until everything that happened is in the ledger and decided on. */
async function settle(cluster: ModelCluster): Promise<void> {
  const { api, ledger } = cluster;
  for (let before = -1; before < ledger.events.length;) {
    before = ledger.events.length;
    if (deliverAll(cluster)) api.now += WATCH_MS;
    await runWorkflowTask(cluster);
  }
}

function step({ api }: ModelCluster, kubelet: Kubelet): void {
  kubelet.step();
  // The garbage collector deletes the pods of a deleted Job.
  if (api.job !== null) return;
  for (const { metadata } of api.pods.values()) deletePod(api, metadata.name, metadata.uid);
}

async function crash(cluster: ModelCluster): Promise<void> {
  deliverAll(cluster);
  await runWorkflowTask(cluster, { decision: 0, command: 0, records: false });
  cluster.api.now += 4000;
}

function ask({ api, ledger, workflow }: ModelCluster, action: 'suspend' | 'resume' | undefined): void {
  if (action === undefined) return;
  const asked = withDigest<RequestReceived>({
    id: `${CLUSTER}/${JOB_UID}/request/${action}`,
    type: 'request.received',
    source: `jobledger/${CLUSTER}`,
    subject: `default/${JOB_NAME}`,
    time: new Date(api.now).toISOString(),
    data: { cluster: CLUSTER, jobUid: JOB_UID, action, by: 'ann' },
  });
  ledger.events.push(asked);
  const fact = compact(asked);
  if (fact !== null) workflow.inbox.push(fact);
}

/** A list finds nothing of the Job any more. */
function vanish({ api, ledger }: ModelCluster): void {
  watch(ledger, api, 'jobs', Infinity);
  watch(ledger, api, 'pods', Infinity);
  removeJob(api);
  forgetPods(api);
  relist(ledger, api, 'jobs');
  relist(ledger, api, 'pods');
}

function forgetPods({ pods }: ModelApi): void {
  pods.clear();
}
