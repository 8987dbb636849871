import * as fc from 'fast-check';
import type { Core } from '../../workflows/cores/cores.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS, type SchedulingApi, type Settings } from '../../workflows/job/settings.ts';
import { jobExpiry } from '../../workflows/batch/expiry.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import {
  changes,
  deletions,
  doAsUser,
  steps,
  stories,
  take,
  type Deed,
  type Step,
} from '../job/laws/crash-story.ts';
import { GROUP_TEMPLATE_NAME, INDEXES } from '../../workflows/kubernetes/names.ts';
import { JOB_UID, podObject, START, startAnew, type JobFields, type PodFields } from './builders.ts';
import {
  createModelCluster,
  deliverAll,
  refuseChanges,
  settleDown,
  runWorkflowTask,
  type ModelCluster,
} from './model-cluster.ts';
import {
  deletePod,
  ModelViolation,
  removeJob,
  setJob,
  setPod,
  timeAt,
  type ModelApi,
  type Reply,
} from './model-cluster-api.ts';
import { requestKind } from './model-cluster-client.ts';
import type { Fate } from './model-cluster-kubelet.ts';

/** The spec of one Job, and the changes that happen to it. */
interface Plot {
  job: JobFields;
  fates: boolean[];
  settings: Partial<Settings>;
  happenings: readonly (Step | Deed)[];
  /** Pods that exist before the Job's own, by what is unusual about them. */
  strangers: PodFields[];
  /** The requests that the API server refuses for a while at the start. */
  refused: ('create' | 'delete' | 'patch' | 'put')[];
  /** The Job is deleted at the end, and finalizers are removed. */
  goes: boolean;
  /** The watch misses the Job: its pods are seen first, and it is looked up. */
  podsFirst: boolean;
  /** The watch shows nothing for a minute: what was created is looked up. */
  isSilent: boolean;
  /** What the cluster serves, and from the middle of the happenings on. */
  apis: readonly [SchedulingApi, SchedulingApi];
  /** The scheduling that the Job asks for. */
  scheduling: Pick<JobFields, 'scheduling' | 'owner' | 'annotations'>;
  /** A reply that the model of the API server never gives: the first request of its kind gets it. */
  rare: keyof typeof RARE | null;
}

const REFUSED = { failed: { status: 403, reason: 'Forbidden', message: 'refused by a webhook' } };
const NOT_FOUND = { failed: { status: 404, reason: 'NotFound', message: 'not found' } };

/** Replies to a request of their kind; null for others. */
const RARE = {
  'DeleteJob done': (api, request) => {
    if (requestKind(request) !== 'DELETE jobs' || api.job === null) return null;
    const metadata = { ...api.job.metadata, deletionTimestamp: timeAt(api.now) };
    return { ok: setJob(api, { ...api.job, metadata }) };
  },
  'DeleteJob kept': (api, request) => {
    if (requestKind(request) !== 'GET jobs' || !hasExpired(api)) return null;
    const spec = { ...api.job?.spec, ttlSecondsAfterFinished: 1_000_000 };
    return api.job === null ? null : { ok: setJob(api, { ...api.job, spec }) };
  },
  'DeleteJob failed': (_api, request) => (requestKind(request) === 'DELETE jobs' ? REFUSED : null),
  'WriteStatus gone': (_api, request) => (requestKind(request) === 'PATCH jobs/status' ? NOT_FOUND : null),
  'LookUpOrphans failed': (_api, request) => (request.path.includes('labelSelector=') ? REFUSED : null),
  'AdoptPods gone': (_api, request) => (ownersIn(request).some(isAdded) ? NOT_FOUND : null),
  'DisownPods gone': (_api, request) =>
    ownersIn(request).some((owner) => !isAdded(owner)) ? NOT_FOUND : null,
  'no Job': (_api, request) => (requestKind(request) === 'GET jobs' ? NOT_FOUND : null),
  'LookUpPods nothing': (_api, request) =>
    requestKind(request) === 'GET pods' && !request.path.includes('?') ? NOT_FOUND : null,
} satisfies Record<string, (api: ModelApi, request: ApiRequest) => Reply<unknown> | null>;

const exitRule = fc.record({
  action: fc.constantFrom('FailJob', 'Ignore', 'Count', 'FailIndex'),
  onExitCodes: fc.record({
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.constantFrom([1], [2, 3]),
  }),
});
const perIndex = fc.record({
  completionMode: fc.constant('Indexed'),
  backoffLimitPerIndex: fc.nat(2),
  maxFailedIndexes: fc.nat(2),
  backoffLimit: fc.constantFrom(2, 2_147_483_647),
});
const specs: fc.Arbitrary<JobFields> = fc.oneof(
  fc.constant({}),
  fc.record({ suspend: fc.boolean() }),
  fc.record({ activeDeadlineSeconds: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ restartPolicy: fc.constant('OnFailure') }),
  fc.record({ ttlSecondsAfterFinished: fc.nat(100) }),
  fc.record({ completionMode: fc.constant('Indexed') }),
  fc.record({ completionMode: fc.constant('Weekly') }),
  fc.record({ manualSelector: fc.constant(true) }),
  perIndex,
  fc.record({ podFailurePolicy: fc.record({ rules: fc.array(exitRule, { minLength: 1, maxLength: 2 }) }) }),
  fc.tuple(perIndex, fc.array(exitRule, { minLength: 1, maxLength: 2 })).map(([limits, rules]) => ({
    ...limits,
    podFailurePolicy: { rules },
  })),
  fc.record({
    completionMode: fc.constant('Indexed'),
    successPolicy: fc.constantFrom(
      { rules: [{ succeededIndexes: '0' }] },
      { rules: [{ succeededCount: 1 }] },
    ),
  }),
) as fc.Arbitrary<JobFields>;

const strangers = fc.array(
  fc.constantFrom<PodFields>(
    { controller: 'none', untracked: true },
    { controller: 'none', untracked: true, phase: 'Succeeded' },
    { controller: 'none' },
    { labels: {} },
    { controller: 'uid-of-another', untracked: true },
    { restarts: 4 },
  ),
  { maxLength: 2 },
);

const PARENT = { owner: 'parent', annotations: { [GROUP_TEMPLATE_NAME]: 'workers' } };

const schedulings = fc.constantFrom<Plot['scheduling']>(
  {},
  { scheduling: { schedulingPolicy: { gang: {} } } },
  { scheduling: { schedulingPolicy: { gang: { minCount: 2 } } } },
  { owner: 'parent' },
  PARENT,
);

const servedApis = fc.constantFrom<Plot['apis']>(
  ['served', 'served'],
  ['v1beta1', 'v1beta1'],
  ['served', 'v1beta1'],
  ['not-served', 'v1beta1'],
);

const rarely = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const plots: fc.Arbitrary<Plot> = fc
  .record({
    story: stories,
    spec: specs,
    settings: fc.record({
      maxUncountedPods: fc.constantFrom(500, 2),
      maxPodsPerSync: fc.constantFrom(500, 2),
      controllers: fc.constantFrom<Settings['controllers']>(['job'], ['job', 'ttl']),
    }),
    happenings: fc.array(
      fc.oneof(
        { weight: 12, arbitrary: steps },
        { weight: 2, arbitrary: deletions },
        { weight: 3, arbitrary: changes },
      ),
      { maxLength: 50, size: 'max' },
    ),
    strangers: fc.oneof(
      { weight: 3, arbitrary: fc.constant<PodFields[]>([]) },
      { weight: 1, arbitrary: strangers },
    ),
    refused: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Plot['refused']>([]) },
      { weight: 1, arbitrary: fc.subarray<Plot['refused'][number]>(['create', 'delete', 'patch', 'put']) },
    ),
    goes: fc.boolean(),
    podsFirst: rarely,
    isSilent: rarely,
    apis: servedApis,
    scheduling: schedulings,
    rare: fc.option(fc.constantFrom(...(Object.keys(RARE) as (keyof typeof RARE)[])), { freq: 3 }),
  })
  .map(({ story: { fates, ...job }, spec, ...plot }): Plot => ({ ...plot, fates, job: { ...job, ...spec } }));

/**
 * Streams of Jobs of every kind with every fault that the model of a cluster has: processes that die, requests that are
 * refused or lost, late and repeated facts, users who change or delete. The same seed gives the same streams.
 */
export async function randomStreams(count: number, seed: number, core?: Core): Promise<JobEvent[][]> {
  const streams: JobEvent[][] = [];
  for (const plot of fc.sample(plots, { numRuns: count, seed })) streams.push(await playStream(plot, core));
  return streams;
}

/** Where a forced reply leads the model to something that a cluster never allows, the stream ends. */
async function playStream(plot: Plot, core?: Core): Promise<JobEvent[]> {
  startAnew();
  const { fates, apis } = plot;
  const job = { ...plot.job, ...plot.scheduling };
  const settings = { ...plot.settings, gangScheduling: apis[0] };
  const fate: Fate = (creation) => ((fates[creation] ?? true) ? 'Succeeded' : 'Failed');
  const cluster = createModelCluster(job, fate, { ...DEFAULT_SETTINGS, ...settings }, core);
  try {
    await play(cluster, plot);
  } catch (error) {
    if (!(error instanceof ModelViolation)) throw error;
  }
  return cluster.ledger.events;
}

async function play(cluster: ModelCluster, plot: Plot): Promise<void> {
  const { api } = cluster;
  api.gangs.workloads.set('of-parent', structuredClone(WORKLOAD_OF_PARENT));
  for (const pod of plot.strangers) setPod(api, podObject(pod));
  if (plot.podsFirst) cluster.ledger.read.jobs = api.journal.jobs.length;
  if (plot.rare !== null) api.instead = once(api, plot.rare);
  if (plot.refused.length > 0) refuseChanges(cluster, plot.refused);
  deliverAll(cluster);
  await runWorkflowTask(cluster);
  if (plot.isSilent) {
    api.now += 61_000;
    await runWorkflowTask(cluster);
  }
  for (const [at, each] of plot.happenings.entries()) {
    if (at === Math.floor(plot.happenings.length / 2)) upgrade(cluster, plot.apis);
    await happen(cluster, each);
  }
  if (plot.job.completionMode !== 'Weekly') await settleDown(cluster);
  if (!plot.goes) return;
  api.trouble = () => null;
  removeJob(api);
  collectGarbage(api);
  await settleDown(cluster);
}

/** From now on the cluster serves another API; the objects of Kubernetes 1.36 are deleted before. */
function upgrade({ api, workflow }: ModelCluster, [before, gangScheduling]: Plot['apis']): void {
  if (before === gangScheduling) return;
  workflow.settings = { ...workflow.settings, gangScheduling };
  for (const objects of Object.values(api.gangs)) objects.clear();
  api.gangs.workloads.set('of-parent', structuredClone(WORKLOAD_OF_PARENT));
}

const WORKLOAD_OF_PARENT = {
  metadata: {
    name: 'of-parent',
    namespace: 'default',
    uid: 'uid-of-parent',
    resourceVersion: '1',
    creationTimestamp: timeAt(START),
  },
  spec: {
    controllerRef: { apiGroup: 'example.com', kind: 'SuperJob', name: 'parent' },
    podGroupTemplates: [{ name: 'workers', schedulingPolicy: { gang: { minCount: 2 } } }],
  },
};

async function happen(cluster: ModelCluster, each: Step | Deed): Promise<void> {
  if (each.kind === 'delete' || each.kind === 'ask' || each.kind === 'spec') doAsUser(cluster, each);
  else await take(cluster, each);
}

/** The forced reply, once. */
function once(api: ModelApi, rare: keyof typeof RARE): ModelApi['instead'] {
  let isDone = false;
  return (request) => {
    const reply = isDone ? null : RARE[rare](api, request);
    isDone ||= reply !== null;
    return reply;
  };
}

function hasExpired({ job, now }: ModelApi): boolean {
  const expiry = job === null ? null : jobExpiry(jobFacts(job));
  return expiry !== null && expiry <= now;
}

/** The owners that a patch of a pod adds or removes; a JSON patch only releases it. */
function ownersIn(request: ApiRequest): object[] {
  if (requestKind(request) !== 'PATCH pods' || Array.isArray(request.body)) return [];
  const { ownerReferences = [] } = (request.body as { metadata: { ownerReferences?: object[] } }).metadata;
  return ownerReferences;
}

function isAdded(owner: object): boolean {
  return !('$patch' in owner);
}

/** The Job's dependents are deleted with it. */
function collectGarbage(api: ModelApi): void {
  for (const { metadata } of api.pods.values())
    if (metadata.ownerReferences?.some(({ uid }) => uid === JOB_UID) === true)
      deletePod(api, metadata.name, metadata.uid);
}

/** A Job with so many pods that its first decision's list of facts takes several records. */
export async function crowdedStream(): Promise<JobEvent[]> {
  const cluster = createModelCluster({ parallelism: 1, completions: 1 }, () => 'Succeeded');
  for (let pod = 0; pod < 520; pod += 1)
    setPod(
      cluster.api,
      podObject({ name: `stranger-${pod}`, controller: 'none', untracked: true, phase: 'Succeeded' }),
    );
  await settleDown(cluster);
  return cluster.ledger.events;
}

/** A member of a spread Job, which ends with it (J-16.24). */
export async function memberStream(): Promise<JobEvent[]> {
  const annotations = { [INDEXES]: '1:0-1' };
  const cluster = createModelCluster(
    { completionMode: 'Indexed', parallelism: 2, completions: 4, annotations },
    (creation) => (creation === 0 ? 'Succeeded' : 'Running'),
  );
  await settleDown(cluster);
  const { api } = cluster;
  if (api.job !== null) {
    const ended = { ...api.job.metadata, annotations: { [INDEXES]: '2::Failed' } };
    setJob(api, { ...api.job, metadata: ended });
  }
  await settleDown(cluster);
  return cluster.ledger.events;
}
