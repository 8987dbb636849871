import { isSameJson } from '../job/definitions/digest.ts';
import type { Reason } from '../job/reason.ts';
import { wordsOf, type BrokenInvariant } from './broken.ts';

/** A person's word that a decision is carried out although it breaks these invariants (J-18.2). */
export interface Approval {
  by: string;
  broken: BrokenInvariant[];
}

/** The request that gives it, as it is recorded and folded. */
export interface ApprovalRequest extends Approval {
  command: 'approve';
}

/** Whether the approval is for all that a decision breaks, in the same words. */
export function covers(
  approval: Approval | null,
  broken: readonly BrokenInvariant[] = [],
): approval is Approval {
  if (approval === null || broken.length === 0) return false;
  return broken.every((found) => approval.broken.some((each) => isSameJson(each, found)));
}

/** What is left of an approval after a decision: it ends with the first one that it is not for. */
export function approvalAfter(
  approval: Approval | null,
  { broken }: { broken?: readonly BrokenInvariant[] },
): Approval | null {
  return covers(approval, broken) ? approval : null;
}

/** The reason for a command that would be withheld without the approval. */
export function approved(why: Reason, { by }: Approval, broken: readonly BrokenInvariant[]): Reason {
  return { rule: 'J-18.2', words: `${why.words}; approved by ${by}, although ${wordsOf(broken)}` };
}
