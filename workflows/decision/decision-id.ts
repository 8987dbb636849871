import { computeDigest } from '../ledger/digest.ts';

/**
 * The id of a decision contains the UID of its object, the number, the chain of workflow runs, and a digest of the
 * content.
 */
export function decisionId(
  uid: string,
  content: { cluster: string; number: number; firstRunId: string },
): string {
  const { cluster, number, firstRunId } = content;
  return `${cluster}/${uid}/decision/${number}/${firstRunId.slice(0, 8)}/${computeDigest(content)}`;
}

/**
 * The id of an outcome contains its decision, the number of the command, and a digest, because attempts may be
 * repeated.
 */
export function outcomeId(decision: string, command: number, content: unknown): string {
  return `${decision}/answer/${command}/${computeDigest(content)}`;
}

/** The id of a `job.folded` record; `part` counts from 0. */
export function foldedId(decision: string, part: number): string {
  return `${decision}/folded/${part}`;
}
