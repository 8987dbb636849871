import { approvalBy, type ApprovalRequest } from '../../invariants/approval.ts';
import type { ReceivedRequest } from '../facts.ts';
import type { JobState } from '../state.ts';

/**
 * The number of ids of requests that the state keeps. A repeat follows soon, or arrives together with all later
 * events.
 */
const REQUESTS_KEPT = 100;

/** Folds a request of a user; returns false for a repeat, because a repeated suspend must not undo a later resume. */
export function foldRequest(
  draft: Pick<JobState, 'requests' | keyof Approvable>,
  request: ReceivedRequest & { id: string },
): boolean {
  if (request.action === 'approve') return foldApproval(draft, request);
  const { id, action, by } = request;
  if (!rememberRequest(draft, id)) return false;
  draft.requests = [...draft.requests, { id, action, by }];
  return true;
}

type Approvable = Pick<JobState, 'requested' | 'approval' | 'breaking' | 'last'>;

/**
 * Folds an approval, which replaces every earlier approval; returns false for a repeat, which must not restore an
 * ended approval.
 */
export function foldApproval(draft: Approvable, request: ApprovalRequest & { id: string }): boolean {
  if (!rememberRequest(draft, request.id)) return false;
  draft.approval = approvalBy(request, draft);
  return true;
}

/** Remembers the id of a request; returns false when the id was already known. */
function rememberRequest(draft: Pick<JobState, 'requested'>, id: string): boolean {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  return true;
}
