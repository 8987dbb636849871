import { presentStatus } from '../definitions/present-status.ts';
import type { CronJobState } from '../state.ts';
import { noteUnproven } from './unknown.ts';

/**
 * Begins an epoch, because the API server was restored from an older copy: its versions start over, so the core
 * resets its marks. Past starts still count: where the restored status shows earlier times, the last start and the
 * last success of the ledger apply.
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
  // The restored API server may have Jobs again that Jobledger had deleted. The state keeps the Jobs that are known
  // to be foreign.
  for (const [uid, known] of Object.entries(draft.children)) {
    const { deleted: _deleted, listedAt: _listedAt, ...child } = known;
    draft.children[uid] = { ...child, resourceVersion: '' };
  }
  draft.removed = [];
  draft.found = {};
}
