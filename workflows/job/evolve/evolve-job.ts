import { contains, hasPlace, isIndexed } from '../definitions/completion-indexes.ts';
import type { JobFacts } from '../facts.ts';
import { compareVersions } from '../definitions/resource-version.ts';
import { INTERIM_CONDITION, isFinished, trueCondition } from '../definitions/conditions.ts';
import { failingWith } from '../decide/policies/failing-with-job.ts';
import { awaitCount, reviewDelays } from './await-count.ts';
import { finishedIndexes, type Draft } from './draft.ts';
import { endChain, foldChain } from './evolve-chain.ts';
import { recognise, markCounted } from './evolve-pod.ts';

/** Folds an observed Job. Returns false for a repeat. */
export function foldJob(draft: Draft, job: JobFacts): boolean {
  if (draft.jobGone || compareVersions(job.resourceVersion, draft.marks.job) <= 0) return false;
  if (draft.job !== null) attribute(draft, draft.job, job);
  // A new spec may resolve what the API server refused (J-3.14).
  if (draft.job !== null && job.generation !== draft.job.generation) draft.retries = {};
  const before = draft.job;
  draft.marks.job = job.resourceVersion;
  draft.job = job;
  if (before === null) for (const uid of Object.keys(draft.pods)) recognise(draft, uid);
  if (isIndexed(job.spec)) foldIndexes(draft, before, job);
  foldChain(draft, before, job);
  if (job.annotations?.failedPodsLimit === undefined) draft.keptPods = {};
  if (isFinished(job.status)) forgetAwaited(draft);
  // With a new policy, or when pods were observed before the Job, other pods may count as failed.
  else if (job.generation !== before?.generation)
    for (const uid of Object.keys(draft.pods)) awaitCount(draft, uid);
  return true;
}

/** Folds the deletion of the Job: nothing is counted any more, and its pods will be released. */
export function foldJobGone(draft: Draft, resourceVersion: string): boolean {
  if (draft.jobGone) return false;
  draft.marks.job = resourceVersion;
  draft.jobGone = true;
  draft.requests = [];
  forgetAwaited(draft);
  draft.keptPods = {};
  endChain(draft);
  return true;
}

/** A finished Job counts no more pods (J-6.37). */
export function forgetAwaited(draft: Draft): void {
  draft.delayed = {};
  markCounted(draft, [...draft.owed.succeeded, ...draft.owed.failed]);
}

/**
 * Successes of indexes that the status lists as completed, or that are out of range, need no count. Ordinals of finished
 * indexes are forgotten.
 */
function foldIndexes(draft: Draft, before: JobFacts | null, job: JobFacts): void {
  const { completed, failed } = finishedIndexes(draft, job);
  const isCounted = (index: number | undefined): boolean =>
    !hasPlace(job.spec, index) || contains(completed, index ?? -1);
  markCounted(
    draft,
    draft.owed.succeeded.filter((uid) => isCounted(draft.pods[uid]?.index)),
  );
  reviewDelays(draft, job);
  // Indexes that return after a scale-down get names that were never used (J-5.36).
  if (before !== null && (job.spec.completions ?? 0) > (before.spec.completions ?? 0))
    draft.indexOrdinals.first = draft.nextOrdinal;
  for (const index of Object.keys(draft.indexOrdinals.next).map(Number))
    if (contains(completed, index) || contains(failed, index)) delete draft.indexOrdinals.next[index];
}

/**
 * A counter on the server is higher than we knew, although only we write it: the outcome of one of our writes was lost.
 * Pods are counted in the order in which they were folded, so the write counted the first ones that awaited their count.
 * For an Indexed Job the status names the completed indexes, so only failures are attributed by number.
 */
function attribute(draft: Draft, known: JobFacts, seen: JobFacts): void {
  const [before, after] = [countedOn(known), countedOn(seen)];
  const successes = isIndexed(known.spec) ? 0 : Math.max(after.succeeded - before.succeeded, 0);
  const succeeded = draft.owed.succeeded.slice(0, successes);
  const failed = failuresFirst(draft, known, seen, Math.max(after.failed - before.failed, 0));
  markCounted(draft, [...succeeded, ...failed]);
}

/** Counted, or listed by the built-in controller in `uncountedTerminatedPods`, which our first write counts (J-4.3). */
function countedOn({ status }: JobFacts): { succeeded: number; failed: number } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    failed: (status.failed ?? 0) + failed.length,
  };
}

/** A Job that ends also counts pods that had not failed before, after those that had (J-4.5). */
function failuresFirst(draft: Draft, known: JobFacts, seen: JobFacts, count: number): string[] {
  const owed = draft.owed.failed.slice(0, count);
  if (owed.length === count) return owed;
  const ending = (['Failed', 'Complete'] as const).find(
    (type) => trueCondition(seen.status, INTERIM_CONDITION[type]) !== undefined,
  );
  if (ending === undefined) return owed;
  const others = failingWith(draft, known, ending).slice(0, count - owed.length);
  return [...owed, ...others.map(({ uid }) => uid)];
}
