import { approvalBy, type Approval, type ApprovalRequest, type Breaking } from './invariants/approval.ts';

/** A user request to suspend or resume an object. */
export interface SuspensionRequest {
  action: 'suspend' | 'resume';
  by: string;
}

/** The request of a person, in the recorded and folded form. */
export type ReceivedRequest = SuspensionRequest | ApprovalRequest;

/** The request of a person, from the data of its record. */
export function requestIn(data: ReceivedRequest): ReceivedRequest {
  const { by } = data;
  return data.action === 'approve'
    ? { action: data.action, by, decisionNumber: data.decisionNumber, broken: data.broken }
    : { action: data.action, by };
}

/**
 * The number of ids of requests that the state keeps, so that a repeat is recognised. A request arrives again either
 * soon after the first time, or together with all later events of the stream.
 */
const REQUESTS_KEPT = 100;

/**
 * Folds a request of a user; returns false for a repeat, because a repeated suspend must not undo a later resume. Kinds
 * that cannot be suspended through Jobledger fold only approvals.
 */
export function foldRequest(draft: Requestable, request: ReceivedRequest & { id: string }): boolean {
  if (request.action === 'approve') return foldApproval(draft, request);
  const { id, action, by } = request;
  if (!rememberRequest(draft, id)) return false;
  draft.requests = [...draft.requests, { id, action, by }];
  return true;
}

/** The part of a state that an approval changes. */
interface Approvable {
  /** The ids of the latest requests, the newest last. */
  requested: string[];
  approval: Approval | null;
  readonly breaking: Breaking | null;
  readonly last: { number: number } | null;
}

/** The part of a state that any request changes. */
interface Requestable extends Approvable {
  /** The requests that no decision has handled yet. */
  requests: ({ id: string } & SuspensionRequest)[];
}

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
function rememberRequest(draft: Pick<Approvable, 'requested'>, id: string): boolean {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  return true;
}
