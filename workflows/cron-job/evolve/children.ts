import { parseInstant } from '../../ledger/instants.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import type { ChildFacts, CronFact, CronJobFacts } from '../facts.ts';
import { isOfEarlierEpoch } from '../definitions/earlier-epoch.ts';
import { dueOfStartName } from '../definitions/start-name.ts';
import { latest } from '../definitions/present-status.ts';
import { isChild } from '../observe/compact.ts';
import type { Child, CronJobState } from '../state.ts';
import { addStarted, notePassed, noteStarted } from './unknown.ts';

/**
 * Folds an observed Job of a CronJob. Returns false for a repeat, and for a Job of another namespace, whose owner
 * reference has no meaning in this namespace.
 */
export function foldChild(draft: CronJobState, job: ChildFacts): boolean {
  const { cronJob } = draft;
  if (cronJob !== null && job.namespace !== cronJob.namespace) return false;
  const known = draft.children[job.uid];
  const version = known === undefined ? (job.listedAt ?? job.resourceVersion) : job.resourceVersion;
  if (compareVersions(version, known?.resourceVersion ?? draft.versions.jobs) <= 0) return false;
  if (job.elsewhere === true || (cronJob !== null && !isChild(cronJob, job))) {
    passOver(draft, job.uid, job.resourceVersion);
    return true;
  }
  const { uid, elsewhere: _elsewhere, namespace, controllerName, ...child } = job;
  draft.children[uid] = {
    ...child,
    ...(known?.listedAt !== undefined && child.listedAt === undefined && { listedAt: known.listedAt }),
    ...(known?.deleted === true && { deleted: true }),
    ...(known?.unexpected === true && { unexpected: true }),
    ...(cronJob === null && {
      claimed: { namespace, ...(controllerName !== undefined && { controllerName }) },
    }),
  };
  delete draft.found[uid];
  noteSuccess(draft, job);
  noteStarted(draft, job);
  if (isOfCopy(draft, job, known)) listAgain(draft, job);
  notePassed(draft, job.resourceVersion);
  return true;
}

/**
 * True for a Job that was started before the API server was restored from an older copy, and that is seen for the
 * first time since then.
 */
function isOfCopy({ cronJob, epoch, lastStart }: CronJobState, job: ChildFacts, known?: Child): boolean {
  if (known !== undefined) return isOfEarlierEpoch(known) && known.unexpected !== true;
  if (cronJob === null || epoch === 0) return false;
  const started = dueOfStartName(cronJob.name, job.name);
  const last = parseInstant(latest(cronJob.status.lastScheduleTime, lastStart ?? undefined)) ?? -Infinity;
  return started !== null && started <= last;
}

/** Makes the next status list the Job, because the copy may be older than the status that listed it. */
function listAgain(draft: CronJobState, job: ChildFacts): void {
  const last = draft.lastStart ?? draft.cronJob?.status.lastScheduleTime;
  if (job.finished === undefined && last !== undefined) addStarted(draft, job, last);
}

/** Drops the Jobs that only claim to belong to this CronJob, now that the CronJob is known. */
export function dropForeign(draft: CronJobState, cronJob: CronJobFacts): void {
  for (const [uid, { claimed, ...child }] of Object.entries(draft.children)) {
    if (claimed === undefined || isChild(cronJob, claimed)) draft.children[uid] = child;
    else if (claimed.namespace === cronJob.namespace) passOver(draft, uid, child.resourceVersion);
    else delete draft.children[uid];
  }
  draft.lastSuccess = draft.claimedSuccess[`${cronJob.namespace}/${cronJob.name}`] ?? null;
  draft.claimedSuccess = {};
}

/** Records the completion of a Job as the last success (J-9.30). */
function noteSuccess(draft: CronJobState, job: ChildFacts): void {
  const { finished, completionTime } = job;
  if (finished !== 'Complete' || completionTime === undefined) return;
  if (draft.cronJob !== null) {
    draft.lastSuccess = latest(draft.lastSuccess ?? undefined, completionTime) ?? null;
    return;
  }
  const claim = `${job.namespace}/${job.controllerName}`;
  const success = latest(draft.claimedSuccess[claim], completionTime) ?? completionTime;
  draft.claimedSuccess = { ...draft.claimedSuccess, [claim]: success };
}

/** Folds the deletion of a Job. Returns false for a repeat, and for a Job of another namespace. */
export function forgetChild(
  draft: CronJobState,
  { uid, namespace, resourceVersion }: Extract<CronFact, { type: 'job.deleted' }>,
): boolean {
  const { cronJob } = draft;
  const known = draft.children[uid];
  if (known === undefined) {
    if (cronJob !== null && namespace !== cronJob.namespace) return false;
    if (compareVersions(resourceVersion, draft.versions.jobs) <= 0) return false;
  }
  forgetDeleted(draft, uid, resourceVersion);
  notePassed(draft, resourceVersion);
  return true;
}

/** Forgets a deleted Job; every list that has shown the Job counts as a repeat. */
function forgetDeleted(draft: CronJobState, uid: string, resourceVersion: string): void {
  for (const version of [draft.children[uid]?.resourceVersion ?? '', draft.children[uid]?.listedAt ?? ''])
    markVersion(draft, version);
  passOver(draft, uid, resourceVersion);
}

/**
 * Passes over a Job that is not a child. Later facts of the same list still count, because the list has other Jobs
 * after this Job.
 */
function passOver(draft: CronJobState, uid: string, resourceVersion: string): void {
  markVersion(draft, resourceVersion);
  delete draft.children[uid];
}

/** Marks facts up to this version as repeats. */
function markVersion({ versions }: CronJobState, version: string): void {
  if (compareVersions(version, versions.jobs) > 0) versions.jobs = version;
}
