import { presentStatus } from '../definitions/present-status.ts';
import type { CronJobState } from '../state.ts';
import { noteUnproven } from './unknown.ts';

/**
 * The API server was restored from an older copy: versions start over, and so do the marks. Past starts stay made:
 * the last start and the last success of the ledger count where the restored status shows earlier ones.
 */
export function beginEpoch(draft: CronJobState, epoch: number): void {
  const { cronJob } = draft;
  if (cronJob !== null) {
    const { lastScheduleTime, lastSuccessfulTime } = presentStatus(draft, cronJob);
    draft.lastStart = lastScheduleTime ?? null;
    draft.lastSuccess = lastSuccessfulTime ?? null;
  }
  draft.epoch = epoch;
  draft.versions = { cronJob: '', jobs: '' };
  draft.passed = '';
  if (draft.unknown !== null) noteUnproven(draft, draft.unknown);
  // Jobs that we had deleted may exist again. The known foreign Jobs stay known.
  for (const [uid, known] of Object.entries(draft.children)) {
    const { deleted: _deleted, listedAt: _listedAt, ...child } = known;
    draft.children[uid] = { ...child, resourceVersion: '' };
  }
  draft.removed = [];
  draft.found = {};
}
