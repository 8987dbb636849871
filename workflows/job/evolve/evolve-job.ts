import { completedOn, contains, failedOn, hasPlace, isIndexed } from '../definitions/completion-indexes.ts';
import type { JobFacts } from '../facts.ts';
import { compareVersions } from '../definitions/resource-version.ts';
import { INTERIM_CONDITION, isFinished, trueCondition } from '../definitions/conditions.ts';
import { failingWith } from '../decide/policies/failing-with-job.ts';
import type { JobState } from '../state.ts';
import { awaitCount, reviewDelays } from './await-count.ts';
import { recognise, markCounted } from './evolve-pod.ts';

/** The Job as observed. False for a repeat. */
export function foldJob(draft: JobState, job: JobFacts): boolean {
  if (draft.jobGone || compareVersions(job.resourceVersion, draft.marks.job) <= 0) return false;
  if (draft.job !== null) attribute(draft, draft.job, job);
  // A new spec may well mend what the API refused (J-3.14).
  if (draft.job !== null && job.generation !== draft.job.generation) draft.retries = {};
  const before = draft.job;
  draft.marks.job = job.resourceVersion;
  draft.job = job;
  if (before === null) for (const uid of Object.keys(draft.pods)) recognise(draft, uid);
  if (isIndexed(job.spec)) foldIndexes(draft, before, job);
  if (isFinished(job.status)) forgetAwaited(draft);
  // Under another policy, or when the Job was not known as its pods were seen, others may count as failed.
  else if (job.generation !== before?.generation)
    for (const uid of Object.keys(draft.pods)) awaitCount(draft, uid);
  return true;
}

/** The Job does not exist any more: nothing is left to count, its pods are to be freed. */
export function foldJobGone(draft: JobState, resourceVersion: string): boolean {
  if (draft.jobGone) return false;
  draft.marks.job = resourceVersion;
  draft.jobGone = true;
  draft.requests = [];
  forgetAwaited(draft);
  return true;
}

/** After the end nothing is counted any more (J-6.37). */
export function forgetAwaited(draft: JobState): void {
  const owed = [...draft.owed.succeeded, ...draft.owed.failed];
  draft.owed = { succeeded: [], failed: [] };
  draft.delayed = {};
  for (const uid of owed) markCounted(draft, uid);
}

/**
 * What the status says of indexes is of all their pods: successes of completed ones, and of such that are out of range,
 * are owed nothing, and the names of what never runs again need no memory.
 */
function foldIndexes(draft: JobState, before: JobFacts | null, job: JobFacts): void {
  for (const uid of draft.owed.succeeded) {
    const index = draft.pods[uid]?.index;
    if (!hasPlace(job.spec, index) || contains(completedOn(job), index ?? -1)) markCounted(draft, uid);
  }
  reviewDelays(draft, job);
  // Indexes that come back after a scale-down take names that none of them had (J-5.36).
  if (before !== null && (job.spec.completions ?? 0) > (before.spec.completions ?? 0))
    draft.indexOrdinals.first = draft.nextOrdinal;
  for (const index of Object.keys(draft.indexOrdinals.next).map(Number))
    if (contains(completedOn(job), index) || contains(failedOn(job), index))
      delete draft.indexOrdinals.next[index];
}

/**
 * A counter on the server is higher than we knew, though we alone write it: a write of ours whose outcome was lost
 * contained the first that were owed, as pods are always counted in the order in which they were folded. Of an Indexed
 * Job the status names the indexes that succeeded, so that only failures are told by their number.
 */
function attribute(draft: JobState, known: JobFacts, seen: JobFacts): void {
  const [before, after] = [countedOn(known), countedOn(seen)];
  const successes = isIndexed(known.spec) ? 0 : Math.max(after.succeeded - before.succeeded, 0);
  const succeeded = draft.owed.succeeded.slice(0, successes);
  const failed = failuresFirst(draft, known, seen, Math.max(after.failed - before.failed, 0));
  for (const uid of [...succeeded, ...failed]) markCounted(draft, uid);
}

/** Counted, or on the lists of the built-in controller, which the first write of ours counts (J-4.3). */
function countedOn({ status }: JobFacts): { succeeded: number; failed: number } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    failed: (status.failed ?? 0) + failed.length,
  };
}

/** A Job that ends counts more than what had failed before, after it (J-4.5). */
function failuresFirst(draft: JobState, known: JobFacts, seen: JobFacts, count: number): string[] {
  const owed = draft.owed.failed.slice(0, count);
  if (owed.length === count) return owed;
  const ending = (['Failed', 'Complete'] as const).find(
    (type) => trueCondition(seen.status, INTERIM_CONDITION[type]) !== undefined,
  );
  if (ending === undefined) return owed;
  const others = failingWith(draft, known, ending).slice(0, count - owed.length);
  return [...owed, ...others.map(({ uid }) => uid)];
}
