import { computeDigest } from '../ledger/digest.ts';

/**
 * The id of a decision: `<cluster>/<uid>/decision/<number>/<8 characters of the first run id>/<digest>`. `uid` is the
 * UID of the object, and the digest is over the content.
 */
export function decisionId(
  uid: string,
  content: { cluster: string; number: number; firstRunId: string },
): string {
  const { cluster, number, firstRunId } = content;
  return `${cluster}/${uid}/decision/${number}/${firstRunId.slice(0, 8)}/${computeDigest(content)}`;
}

/**
 * The id of an outcome contains the id of its decision, the number of the command, and a digest, because attempts of a
 * command may be repeated.
 */
export function outcomeId(decision: string, command: number, content: unknown): string {
  return `${decision}/answer/${command}/${computeDigest(content)}`;
}

/** The id of a `….folded` record; `part` counts from 0. */
export function foldedId(decision: string, part: number): string {
  return `${decision}/folded/${part}`;
}
