import type { Fact } from '../facts.ts';
import { countedBefore } from '../definitions/counted-on.ts';
import { isVersion, type Draft } from './draft.ts';

/**
 * Returns false for a fact of an earlier epoch, which is a repeat. The first fact of a new epoch shows that the API
 * server was restored from an older copy: versions start over, and counted pods stay counted.
 */
export function enterEpoch(draft: Draft, fact: Fact): boolean {
  const epoch = factEpoch(fact);
  if (epoch === null || epoch === draft.epoch) return true;
  if (epoch < draft.epoch) return false;
  // The stream of a Job that was created in this epoch begins with this epoch.
  if (draft.job !== null || draft.last !== null) draft.listedTo = '';
  draft.epoch = epoch;
  draft.versions = { job: '', pods: '', listed: '' };
  draft.written = settledPods(draft);
  draft.derived.ownVersions = null;
  draft.retries = {};
  draft.settledBelow = draft.nextOrdinal;
  if (draft.job !== null) draft.job = { ...draft.job, atLeast: countedBefore(draft.job) };
  // The copy may be older than the deletion, and an observation shows this; a fact about a pod may precede the
  // observation.
  if (draft.jobGone) draft.isGoneByAnswer = true;
  return true;
}

/** The epoch of the versions of a fact; null for a fact that no version orders. */
function factEpoch(fact: Fact): number | null {
  switch (fact.type) {
    case 'job.observed':
    case 'job.deleted':
    case 'pod.observed':
    case 'pod.deleted':
      return fact.epoch ?? 0;
    case 'request.received':
    case 'awaited-job.observed':
      return null;
  }
}

/** Settles a pod that was gone and exists again in the copy: either it was counted, or it must not be counted. */
function settledPods({ written, pods }: Draft): Draft['written'] {
  const gone = Object.entries(written).filter(([uid, note]) => !isVersion(note) && pods[uid] === undefined);
  return Object.fromEntries(gone.map(([uid]) => [uid, 'counted']));
}
