import type { JobFacts } from './facts.ts';
import { compareVersions } from './resource-version.ts';
import { isFinished } from './conditions.ts';
import type { JobState } from './state.ts';
import { settle } from './evolve-pod.ts';

/** The Job as observed. False for a repeat. */
export function foldJob(draft: JobState, job: JobFacts): boolean {
  if (draft.jobGone || compareVersions(job.resourceVersion, draft.marks.job) <= 0) return false;
  if (draft.job !== null) attribute(draft, draft.job, job);
  // A new spec may well mend what the API refused (J-3.14).
  if (draft.job !== null && job.generation !== draft.job.generation)
    draft.retry = { errors: 0, until: 0, kind: null, message: '' };
  draft.marks.job = job.resourceVersion;
  draft.job = job;
  if (isFinished(job.status)) forgetOwed(draft);
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
  const succeeded = (seen.status.succeeded ?? 0) - (known.status.succeeded ?? 0);
  const failed = (seen.status.failed ?? 0) - (known.status.failed ?? 0);
  const counted = [
    ...draft.owed.succeeded.slice(0, Math.max(succeeded, 0)),
    ...failuresFirst(draft, Math.max(failed, 0)),
  ];
  for (const uid of counted) settle(draft, uid);
}

/** Failing counts the pods that still run as well, after those that had failed (J-4.5). */
function failuresFirst(draft: JobState, count: number): string[] {
  const owed = draft.owed.failed.slice(0, count);
  if (owed.length === count) return owed;
  const others = Object.entries(draft.pods).filter(
    ([uid, pod]) => pod.counted !== true && pod.untracked !== true && !owed.includes(uid),
  );
  return [...owed, ...others.slice(0, count - owed.length).map(([uid]) => uid)];
}
