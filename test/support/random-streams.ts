import * as fc from 'fast-check';
import type { Core } from '../../workflows/cores/cores.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import type { CreationOutcome } from '../../workflows/job/outcomes.ts';
import type { Command, PodToCreate } from '../../workflows/job/commands.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import type { AnyOutcome } from '../../services/worker/activities/outcome-of.ts';
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
import { JOB_UID, podObject, startAnew, type JobFields, type PodFields } from './builders.ts';
import {
  createModelCluster,
  deliverAll,
  refuse,
  settleDown,
  work,
  type ModelCluster,
} from './model-cluster.ts';
import { deletePod, ModelViolation, removeJob, setJob, setPod, type ModelApi } from './model-cluster-api.ts';
import type { Fate } from './model-cluster-kubelet.ts';

/** How one Job is made and what happens to it. */
interface Plot {
  job: JobFields;
  fates: boolean[];
  settings: Partial<Settings>;
  happenings: readonly (Step | Deed)[];
  /** Pods that are there before the Job's own, by what is unusual about them. */
  strangers: PodFields[];
  /** What the API server refuses for a while at the start. */
  refused: ('create' | 'delete' | 'patch' | 'put')[];
  /** The Job goes at the end, and whoever waits for it. */
  goes: boolean;
  /** The Job is not told by the watch: its pods are seen first, and it is looked up. */
  podsFirst: boolean;
  /** The watch tells nothing for a minute: what was created is looked up. */
  isSilent: boolean;
  /** An outcome that the model of the API server does not come to by itself: the first command of its kind gets it. */
  rare: (typeof RARE)[number] | null;
}

const REFUSAL = { status: 403, reason: 'Forbidden', message: 'refused by a webhook' };
const RARE = [
  'DeleteJob done',
  'DeleteJob kept',
  'DeleteJob failed',
  'WriteStatus gone',
  'LookUpOrphans failed',
  'AdoptPods gone',
  'DisownPods gone',
  'CreatePods without Job',
  'LookUpPods nothing',
] as const;

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
    rare: fc.option(fc.constantFrom(...RARE), { freq: 3 }),
  })
  .map(({ story: { fates, ...job }, spec, ...plot }): Plot => ({ ...plot, fates, job: { ...job, ...spec } }));

/**
 * Streams of Jobs of every kind to whom everything happens that the model of a cluster knows: processes that die, requests
 * that are refused or lost, facts late and repeated, people who change or delete. The same seed gives the same streams.
 */
export function randomStreams(count: number, seed: number, core?: Core): JobEvent[][] {
  return fc.sample(plots, { numRuns: count, seed }).map((plot) => streamOf(plot, core));
}

/** Where an untrue outcome leads the model into what a cluster never allows, the stream ends there. */
function streamOf(plot: Plot, core?: Core): JobEvent[] {
  startAnew();
  const { job, fates, settings } = plot;
  const fate: Fate = (creation) => ((fates[creation] ?? true) ? 'Succeeded' : 'Failed');
  const cluster = createModelCluster(job, fate, { ...DEFAULT_SETTINGS, ...settings }, core);
  try {
    play(cluster, plot);
  } catch (error) {
    if (!(error instanceof ModelViolation)) throw error;
  }
  return cluster.ledger.events;
}

function play(cluster: ModelCluster, plot: Plot): void {
  const { api } = cluster;
  for (const pod of plot.strangers) setPod(api, podObject(pod));
  if (plot.podsFirst) cluster.ledger.read.jobs = api.journal.jobs.length;
  if (plot.rare !== null) api.instead = once(api, plot.rare);
  if (plot.refused.length > 0) refuse(cluster, plot.refused);
  deliverAll(cluster);
  work(cluster);
  if (plot.isSilent) {
    api.now += 61_000;
    work(cluster);
  }
  for (const each of plot.happenings) happen(cluster, each);
  if (plot.job.completionMode !== 'Weekly') settleDown(cluster);
  if (!plot.goes) return;
  api.trouble = () => null;
  removeJob(api);
  collectGarbage(api);
  settleDown(cluster);
}

function happen(cluster: ModelCluster, each: Step | Deed): void {
  if (each.kind === 'delete' || each.kind === 'ask' || each.kind === 'spec') doAsUser(cluster, each);
  else take(cluster, each);
}

function once(api: ModelApi, rare: (typeof RARE)[number]): ModelApi['instead'] {
  let isDone = false;
  return (command) => {
    if (isDone || command.kind !== rare.split(' ')[0]) return null;
    const outcome = outcomeOf(api, rare, command);
    isDone = outcome !== null;
    return outcome;
  };
}

function outcomeOf(api: ModelApi, rare: (typeof RARE)[number], command: Command): AnyOutcome | null {
  if (rare === 'DeleteJob failed') return { kind: 'DeleteJob', result: 'failed', error: REFUSAL };
  if (rare === 'WriteStatus gone') return { kind: 'WriteStatus', result: 'gone' };
  if (rare === 'LookUpOrphans failed') return { kind: 'LookUpOrphans', result: 'failed', error: REFUSAL };
  if (command.kind === 'CreatePods')
    return { kind: 'CreatePods', generation: 0, pods: command.pods.map(skipped), jobGone: true };
  if (command.kind === 'LookUpPods')
    return { kind: 'LookUpPods', pods: command.pods.map((pod) => ({ ...pod, pod: null })) };
  if (command.kind === 'AdoptPods' || command.kind === 'DisownPods')
    return { kind: command.kind, pods: command.pods.map((pod) => ({ ...pod, result: 'gone' })) };
  if (command.kind !== 'DeleteJob' || api.job === null) return null;
  const { metadata } = api.job;
  const deletionTimestamp = new Date(api.now).toISOString().replace(/\.\d+Z$/, 'Z');
  const job =
    rare === 'DeleteJob done' ? { ...api.job, metadata: { ...metadata, deletionTimestamp } } : api.job;
  return {
    kind: 'DeleteJob',
    result: rare === 'DeleteJob done' ? 'done' : 'kept',
    job: jobFacts(setJob(api, job)),
  };
}

function skipped({ ordinal, name }: PodToCreate): CreationOutcome {
  return { ordinal, name, result: 'skipped' };
}

/** With the Job goes what it owned. */
function collectGarbage(api: ModelApi): void {
  for (const { metadata } of api.pods.values())
    if (metadata.ownerReferences?.some(({ uid }) => uid === JOB_UID) === true)
      deletePod(api, metadata.name, metadata.uid);
}

/** A Job of so many pods that its first decision's list of facts takes several records. */
export function crowdedStream(): JobEvent[] {
  const cluster = createModelCluster({ parallelism: 1, completions: 1 }, () => 'Succeeded');
  for (let pod = 0; pod < 520; pod += 1)
    setPod(
      cluster.api,
      podObject({ name: `stranger-${pod}`, controller: 'none', untracked: true, phase: 'Succeeded' }),
    );
  settleDown(cluster);
  return cluster.ledger.events;
}
