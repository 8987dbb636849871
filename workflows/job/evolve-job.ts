import type { JobFacts } from './facts.ts';
import { compareVersions } from './resource-version.ts';
import { isFinished, trueCondition } from './conditions.ts';
import type { JobState } from './state.ts';
import { owe, recognise, settle } from './evolve-pod.ts';

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
  if (isFinished(job.status)) forgetOwed(draft);
  // Under another policy, or when the Job was not known as its pods were seen, others may count as failed.
  else if (job.generation !== before?.generation) for (const uid of Object.keys(draft.pods)) owe(draft, uid);
  return true;
}

/** The Job does not exist any more: nothing is left to count, its pods are to be freed. */
export function foldJobGone(draft: JobState, resourceVersion: string): boolean {
  if (draft.jobGone) return false;
  draft.marks.job = resourceVersion;
  draft.jobGone = true;
  draft.requests = [];
  forgetOwed(draft);
  return true;
}

/** After the end nothing is counted any more (J-6.37). */
export function forgetOwed(draft: JobState): void {
  const owed = [...draft.owed.succeeded, ...draft.owed.failed];
  draft.owed = { succeeded: [], failed: [] };
  for (const uid of owed) settle(draft, uid);
}

/**
 * A counter on the server is higher than we knew, though we alone write it: a write of ours whose outcome was lost
 * contained the first that were owed, as pods are always counted in the order in which they were folded.
 */
function attribute(draft: JobState, known: JobFacts, seen: JobFacts): void {
  const [before, after] = [countedOn(known), countedOn(seen)];
  const succeeded = draft.owed.succeeded.slice(0, Math.max(after.succeeded - before.succeeded, 0));
  const isFailing = trueCondition(seen.status, 'FailureTarget') !== undefined;
  const failed = failuresFirst(draft, Math.max(after.failed - before.failed, 0), isFailing);
  for (const uid of [...succeeded, ...failed]) settle(draft, uid);
}

/** Counted, or on the lists of the built-in controller, which the first write of ours counts (J-4.3). */
function countedOn({ status }: JobFacts): { succeeded: number; failed: number } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    failed: (status.failed ?? 0) + failed.length,
  };
}

/** A Job that fails counts the pods that still run as well, after those that had failed (J-4.5). */
function failuresFirst(draft: JobState, count: number, isFailing: boolean): string[] {
  const owed = draft.owed.failed.slice(0, count);
  if (owed.length === count || !isFailing) return owed;
  const others = Object.entries(draft.pods).filter(
    ([uid, pod]) => pod.counted !== true && pod.untracked !== true && !owed.includes(uid),
  );
  return [...owed, ...others.slice(0, count - owed.length).map(([uid]) => uid)];
}
