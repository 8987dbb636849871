import { contains, hasPlace, isIndexed } from '../../batch/completion-indexes.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { canBeCounted } from '../definitions/pod-phase.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { INTERIM_CONDITION, isFinished, trueCondition } from '../../batch/conditions.ts';
import { jobCounters, showsAtLeast } from '../definitions/counted-on.ts';
import { keptGrant, type IndexGrant } from '../../batch/index-grant.ts';
import { podsFailingWith } from '../definitions/failing-with-job.ts';
import { awaitCount, reviewDelays } from './await-count.ts';
import { finishedIndexes, type Draft } from './draft.ts';
import { chainAfterJob, endChain } from './evolve-chain.ts';
import { recognise, markCounted } from './evolve-pod.ts';

/** Folds an observed Job. Returns false for a repeat. */
export function foldJob(draft: Draft, seen: JobFacts): boolean {
  if (compareVersions(seen.resourceVersion, draft.versions.job) <= 0) return false;
  if (draft.jobGone && !draft.isGoneByAnswer) return false;
  draft.jobGone = draft.isGoneByAnswer = false;
  const before = draft.job;
  const job = withGrantBefore(withCountedBefore(seen, before), before);
  if (before !== null) attributeLostCounts(draft, before, job);
  // A new spec may resolve earlier refusals of the API server (J-3.14).
  if (before !== null && job.generation !== before.generation) draft.retries = {};
  draft.versions.job = job.resourceVersion;
  draft.job = job;
  if (job.spec.suspend === true || job.status.startTime !== undefined) draft.startedAt = null;
  if (before === null) for (const uid of Object.keys(draft.pods)) recognise(draft, job, uid);
  if (isIndexed(job.spec)) foldIndexes(draft, before, job);
  draft.chain = chainAfterJob(draft.chain, before, job);
  if (job.annotations?.failedPodsLimit === undefined) draft.keptPods = {};
  if (isFinished(job.status)) forgetUncounted(draft);
  // With a new policy, or when pods were observed before the Job, other pods may count as failed.
  else if (job.generation !== before?.generation)
    for (const uid of Object.keys(draft.pods)) awaitCount(draft, uid);
  return true;
}

/** The Job with the counts from before the API server was restored, until a status shows these counts. */
function withCountedBefore(job: JobFacts, before: JobFacts | null): JobFacts {
  if (before?.atLeast === undefined) return job;
  const raised = { ...job, atLeast: before.atLeast };
  return showsAtLeast(raised) ? job : raised;
}

/**
 * The Job with the grant that it had acknowledged, even if an older copy of the status, or a status that another
 * client has changed, does not show the acknowledgement. A grant of a Job that retries indexes counts as soon as it
 * is observed, because without its annotations the Job would run all indexes.
 */
function withGrantBefore(job: JobFacts, before: JobFacts | null): JobFacts {
  const kept = before === null ? null : (keptGrant(before) ?? retriedGrant(before));
  if (kept === null) return job;
  const shown = keptGrant(job);
  const isShown = shown !== null && shown.number >= kept.number && shown.isRetry === kept.isRetry;
  return isShown ? job : { ...job, kept };
}

/** The grant of a Job that retries indexes; null for any other Job. */
function retriedGrant({ annotations }: JobFacts): IndexGrant | null {
  const { indexes } = annotations ?? {};
  return indexes?.isRetry === true ? indexes : null;
}

/**
 * Folds an answer of the API server that the Job does not exist. The pods of the Job are then released, and still
 * await their count.
 */
export function foldJobAbsent(draft: Draft): void {
  if (draft.jobGone) return;
  draft.jobGone = draft.isGoneByAnswer = true;
}

/** Folds the deletion of the Job: no further pod is counted, and the pods will be released. */
export function foldJobGone(draft: Draft, resourceVersion: string): boolean {
  if (draft.jobGone && !draft.isGoneByAnswer) return false;
  draft.versions.job = resourceVersion;
  draft.jobGone = true;
  draft.isGoneByAnswer = false;
  draft.requests = [];
  forgetUncounted(draft);
  draft.keptPods = {};
  endChain(draft);
  return true;
}

/** Forgets the pods that await their count, because no more pods of a finished Job are counted (J-6.37). */
export function forgetUncounted(draft: Draft): void {
  draft.delayed = {};
  markCounted(draft, [...draft.uncounted.succeeded, ...draft.uncounted.failed]);
}

/**
 * Removes indexes that the status lists as completed, or that are out of range, from those that await a count, and
 * forgets the ordinals of finished indexes.
 */
function foldIndexes(draft: Draft, before: JobFacts | null, job: JobFacts): void {
  const { completed, failed } = finishedIndexes(draft, job);
  /** True for an index that does not await a count. */
  const isCounted = (index: number | undefined): boolean =>
    !hasPlace(job.spec, index) || contains(completed, index ?? -1);
  markCounted(
    draft,
    draft.uncounted.succeeded.filter((uid) => isCounted(draft.pods[uid]?.index)),
  );
  reviewDelays(draft, job);
  // Indexes that return after a scale-down get new names (J-5.36).
  if (before !== null && (job.spec.completions ?? 0) > (before.spec.completions ?? 0))
    draft.indexOrdinals.first = draft.nextOrdinal;
  for (const index of Object.keys(draft.indexOrdinals.next).map(Number))
    if (contains(completed, index) || contains(failed, index)) delete draft.indexOrdinals.next[index];
}

/**
 * Attributes counters that are higher on the server than known to pods. Only Jobledger writes the counters, so the
 * outcome of a write was lost. Pods are counted in the order in which they were folded, so the write counted the
 * first pods that awaited their count and whose release was not refused. For an Indexed Job, the status names the
 * completed indexes, so only failures are attributed by number.
 */
function attributeLostCounts(draft: Draft, known: JobFacts, seen: JobFacts): void {
  const [before, after] = [countedOrListed(known), countedOrListed(seen)];
  const successes = isIndexed(known.spec) ? 0 : Math.max(after.succeeded - before.succeeded, 0);
  const { countable, refused } = inCountOrder(draft, draft.uncounted.succeeded);
  const succeeded = [...countable, ...refused].slice(0, successes);
  const failed = podsOfFailures(draft, known, seen, Math.max(after.failed - before.failed, 0));
  markCounted(draft, [...succeeded, ...failed]);
}

/**
 * The numbers of pods that are counted, or that the built-in controller listed in `uncountedTerminatedPods`, which
 * the first write of Jobledger counts (J-4.3).
 */
function countedOrListed(job: JobFacts): { succeeded: number; failed: number } {
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
  const counted = jobCounters(job);
  return { succeeded: counted.succeeded + succeeded.length, failed: counted.failed + failed.length };
}

/**
 * The pods to which failures are attributed; a Job that ends also counts pods that had not failed yet, which follow
 * the failed pods (J-4.5).
 */
function podsOfFailures(draft: Draft, known: JobFacts, seen: JobFacts, count: number): string[] {
  const { countable, refused } = inCountOrder(draft, draft.uncounted.failed);
  const uncounted = countable.slice(0, count);
  if (uncounted.length === count) return uncounted;
  const ending = (['Failed', 'Complete'] as const).find(
    (type) => trueCondition(seen.status, INTERIM_CONDITION[type]) !== undefined,
  );
  const others = ending === undefined ? [] : podsFailingWith(draft, known, ending).map(({ uid }) => uid);
  return [...uncounted, ...others, ...refused].slice(0, count);
}

/**
 * The UIDs of pods that await their count, in order. A pod whose release was refused may have been released since
 * then, so it is the last.
 */
function inCountOrder({ pods }: Draft, uids: readonly string[]): { countable: string[]; refused: string[] } {
  return {
    countable: uids.filter((uid) => canBeCounted(pods[uid])),
    refused: uids.filter((uid) => !canBeCounted(pods[uid])),
  };
}
