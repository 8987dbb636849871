import { compareVersions } from '../../ledger/resource-version.ts';
import { hasStarted, unknownStart } from '../definitions/unknown-start.ts';
import type { ChildFacts } from '../facts.ts';
import type { CronJobState, UnknownStart, UnprovenStart } from '../state.ts';

/**
 * Records that the watch of Jobs has passed a version: every Job that was created before it has been observed. A
 * start that was not observed up to that version was never carried out. Returns false when this changes nothing.
 */
export function notePassed(draft: CronJobState, resourceVersion: string): boolean {
  if (unknownStart(draft) === null || compareVersions(resourceVersion, draft.passed) <= 0) return false;
  draft.passed = resourceVersion;
  settleUnknownStart(draft);
  return true;
}

/** Records a creation without an answer; its Job may already be among the observed facts. */
export function noteUnknown(draft: CronJobState, { name, scheduledAt, after }: UnknownStart): void {
  if (hasStarted(draft, scheduledAt)) return;
  draft.unknown = { name, scheduledAt, after };
  settleUnknownStart(draft);
}

/**
 * Records a creation without an answer from before the restore of the API server: its Job may have run, and no watch
 * may show the Job. The start is not made again (J-9.38).
 */
export function noteUnproven(draft: CronJobState, { name, scheduledAt }: UnprovenStart): void {
  draft.unknown = null;
  delete draft.retries.AwaitWatch;
  if (!hasStarted(draft, scheduledAt)) draft.unproven = { name, scheduledAt };
}

/** Forgets the unknown start once the watch of Jobs has passed the version at which the watch would show its Job. */
function settleUnknownStart(draft: CronJobState): void {
  const { unknown, passed } = draft;
  if (unknown === null || unknown.after === null || compareVersions(passed, unknown.after) < 0) return;
  draft.unknown = null;
  delete draft.retries.AwaitWatch;
}

/**
 * Records a Job that was created or found. The next status lists the Job (J-9.38), but a remembered Job is not listed
 * twice.
 */
export function addStarted(
  draft: CronJobState,
  { uid, name, resourceVersion }: ChildFacts,
  scheduledAt: string,
): void {
  if (draft.started.some((each) => each.uid === uid)) return;
  draft.started = [...draft.started, { uid, name, resourceVersion, scheduledAt }];
}

/**
 * Records that the Job of a start without an outcome is observed, so the start was carried out. The Job of the start
 * may be deleted before its outcome is known.
 */
export function noteStarted(draft: CronJobState, job: ChildFacts): void {
  const { unproven } = draft;
  if (unproven?.name === job.name) {
    draft.unproven = null;
    // The copy of the API server has the Job.
    if (!hasStarted(draft, unproven.scheduledAt)) addStarted(draft, job, unproven.scheduledAt);
  }
  const start = unknownStart(draft);
  if (start === null || start.name !== job.name) return;
  if (!hasStarted(draft, start.scheduledAt)) addStarted(draft, job, start.scheduledAt);
  draft.unknown = null;
  delete draft.retries.AwaitWatch;
}
