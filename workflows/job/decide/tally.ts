import { withBackoffSeconds } from './policies/backoff-seconds.ts';
import { isPerIndex, failsIndex } from '../definitions/per-index.ts';
import { canBeCounted, isActive, isLive, isTerminating } from '../definitions/pod-phase.ts';
import {
  completedIndexesOf,
  contains,
  failedIndexesOf,
  hasPlace,
  toIndexes,
  isIndexed,
  countIndexes,
  union,
  type IndexSets,
} from '../../batch/completion-indexes.ts';
import { jobCounters } from '../definitions/counted-on.ts';
import { effectiveGrant, type EffectiveGrant } from '../../batch/index-grant.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { apiTime } from '../../ledger/instants.ts';
import { isIgnored } from '../definitions/failure-match.ts';
import type { Settings } from '../settings.ts';
import type { Situation } from './situation.ts';
import type { JobState, PodState } from '../state.ts';

export interface PodEntry {
  uid: string;
  pod: PodState;
}

/** The pod counts that a sync uses for its decision (J-3.50 steps 7 to 13). */
export interface Tally extends Situation {
  /** The settings; the delay in an annotation of the Job replaces the general delay (J-12.8). */
  settings: Settings;
  suspended: boolean;
  /** `status.startTime`; without it, the decided start or `now` (J-3.50 step 13); null while the Job is suspended. */
  activeSince: string | null;
  /** All pods that are not terminal, in the order of the state. */
  live: PodEntry[];
  /** Live pods that are not being deleted, observed or not (J-0.4). */
  active: PodEntry[];
  /** Live pods that are being deleted (J-0.4). */
  terminating: PodEntry[];
  ready: number;
  /** UIDs of finished pods that the next status write counts for the first time. */
  newSucceeded: string[];
  newFailed: string[];
  /**
   * True when some pods remain for a later decision: one decision counts at most `maxUncountedPods` pods (J-4.7), and
   * counts only released pods.
   */
  isCapped: boolean;
  /**
   * The number of succeeded pods, including pods that are not counted yet; for an Indexed Job, the number of
   * completed indexes.
   */
  succeeded: number;
  /** Failed pods, including pods that are not counted yet and pods that wait for a replacement (J-3.50 step 12). */
  failed: number;
  /** Indexed Jobs only. */
  indexes: IndexSets | null;
  /** The indexes of a member that may run only some indexes (J-16.24); null when the Job may run all indexes. */
  grant: EffectiveGrant | null;
}

/** Takes the pod counts on which a sync decides. */
export function takeTally({ state, job, now, settings }: Situation): Tally {
  const suspended = job.spec.suspend ?? false;
  const pods = Object.entries(state.pods)
    .map(([uid, pod]) => ({ uid, pod }))
    .filter(({ pod }) => isLive(pod));
  const active = pods.filter(({ pod }) => isActive(pod));
  const uncounted = uncountedPods(job);
  const indexes = isIndexed(job.spec) ? indexSetsOf(state, job) : null;
  /** True for a finished pod that the next status write can count. */
  const isCountable = (uid: string): boolean => canBeCounted(state.pods[uid]);
  const newSucceeded = state.uncounted.succeeded.filter(isCountable).slice(0, settings.maxUncountedPods);
  const newFailed = state.uncounted.failed
    .filter(isCountable)
    .slice(0, settings.maxUncountedPods - newSucceeded.length);
  const counted = jobCounters(job);
  return {
    state,
    job,
    now,
    settings: withBackoffSeconds(settings, job),
    suspended,
    activeSince: suspended ? null : (job.status.startTime ?? state.startedAt ?? apiTime(now)),
    live: pods,
    active,
    terminating: pods.filter(({ pod }) => isTerminating(pod)),
    ready: active.filter(({ pod }) => pod.ready !== undefined).length,
    newSucceeded,
    newFailed,
    isCapped:
      newSucceeded.length + newFailed.length <
      state.uncounted.succeeded.length + state.uncounted.failed.length,
    succeeded:
      indexes === null
        ? counted.succeeded + uncounted.succeeded + state.uncounted.succeeded.length
        : countIndexes(indexes.completed),
    failed: counted.failed + uncounted.failed + state.uncounted.failed.length + countDelayed(state, job),
    indexes,
    grant: indexes === null ? null : currentGrant(state, job, pods),
  };
}

/**
 * The completed and failed indexes of a Job. An index is never both (J-1.40 q): the status keeps an index that it
 * has, and a success takes precedence over a failure (J-4.12, J-5.52).
 */
function indexSetsOf({ uncounted, pods }: JobState, job: JobFacts): IndexSets {
  const known = failedIndexesOf(job);
  const succeeded = uncounted.succeeded
    .flatMap((uid) => pods[uid]?.index ?? [])
    .filter((index) => hasPlace(job.spec, index) && !contains(known, index));
  const completed = union(completedIndexesOf(job), toIndexes(succeeded));
  if (!isPerIndex(job.spec)) return { completed, failed: null };
  const failed = uncounted.failed
    .flatMap((uid) => pods[uid] ?? [])
    .filter((pod) => hasPlace(job.spec, pod.index) && failsIndex(job.spec, pod))
    .flatMap(({ index }) => index ?? [])
    .filter((index) => !contains(completed, index));
  return { completed, failed: union(known, toIndexes(failed)) };
}

/**
 * The grant of indexes that the Job follows. An index has begun when it has a pod, or has failed and waits for the
 * next pod.
 */
function currentGrant({ delayed }: JobState, job: JobFacts, live: readonly PodEntry[]): Tally['grant'] {
  const begun = [...live.flatMap(({ pod }) => pod.index ?? []), ...Object.keys(delayed).map(Number)];
  return effectiveGrant(job, begun);
}

/** The number of failed pods that wait for their replacement and will be counted. */
function countDelayed({ delayed, pods }: JobState, { spec }: JobFacts): number {
  return Object.values(delayed).filter((uid) => {
    const pod = pods[uid];
    return pod !== undefined && !isIgnored(spec, pod);
  }).length;
}

/** The number of pods that the built-in controller had listed but not counted when Jobledger took over (J-4.3). */
export function uncountedPods(job: JobFacts): { succeeded: number; failed: number } {
  const lists = job.status.uncountedTerminatedPods;
  return { succeeded: lists?.succeeded?.length ?? 0, failed: lists?.failed?.length ?? 0 };
}
