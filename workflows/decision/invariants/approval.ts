import { isSameJson } from '../../ledger/digest.ts';
import type { Reason } from '../reason.ts';
import { brokenText, type BrokenInvariant } from './broken.ts';

/** A person's permission to carry out a decision although it breaks these invariants (J-18.2). */
export interface Approval {
  by: string;
  broken: BrokenInvariant[];
}

/**
 * The request that gives the approval, as it is recorded and folded. `decisionNumber` is the number of the decision
 * that the person has seen.
 */
export interface ApprovalRequest extends Approval {
  action: 'approve';
  decisionNumber: number;
}

/**
 * The invariants that the last decision breaks, and the number of the first decision after which no other invariant
 * was broken.
 */
export interface Breaking {
  since: number;
  broken: BrokenInvariant[];
}

/** The broken invariants after the next decision. */
export function breakingAfter(
  before: Breaking | null,
  { number, broken = [] }: { number: number; broken?: BrokenInvariant[] },
): Breaking | null {
  if (broken.length === 0) return null;
  const goesOn = before !== null && isSubset(broken, before.broken);
  return { since: goesOn ? before.since : number, broken };
}

/**
 * The approval that a request gives. The approval is void if a decision after the decision that the person has seen
 * broke no invariant, or another invariant: a new problem may have the same message, and nobody has looked at the new
 * problem.
 */
export function approvalBy(
  { by, decisionNumber, broken }: ApprovalRequest,
  { breaking, last }: { breaking: Breaking | null; last: { number: number } | null },
): Approval {
  const first = breaking?.since ?? (last?.number ?? 0) + 1;
  return { by, broken: decisionNumber >= first ? broken : [] };
}

/** True when the approval covers all invariants that a decision breaks, with the same messages. */
export function coversAll(
  approval: Approval | null,
  broken: readonly BrokenInvariant[] = [],
): approval is Approval {
  if (approval === null || broken.length === 0) return false;
  return isSubset(broken, approval.broken);
}

/** True when each of some broken invariants is in the other list, with the same message. */
function isSubset(some: readonly BrokenInvariant[], all: readonly BrokenInvariant[]): boolean {
  return some.every((found) => all.some((each) => isSameJson(each, found)));
}

/** The approval after a decision: the approval ends with the first decision that it does not cover. */
export function approvalAfter(
  approval: Approval | null,
  { broken }: { broken?: readonly BrokenInvariant[] },
): Approval | null {
  return coversAll(approval, broken) ? approval : null;
}

/** The reason for a command that would be withheld without the approval. */
export function approvedReason(why: Reason, { by }: Approval, broken: readonly BrokenInvariant[]): Reason {
  return { rule: 'J-18.2', message: `${why.message}; approved by ${by}, although ${brokenText(broken)}` };
}
