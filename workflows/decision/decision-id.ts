import { computeDigest } from '../ledger/digest.ts';

/**
 * The version of the core, which each decision records. Raise the version whenever `compact`, `evolve` or `decide`
 * may give another result; `cores` keeps the earlier versions.
 */
export const CORE_VERSION = '1';

/** The owner of a decision. */
export type DecisionSubject = { cluster: string } & ({ jobUid: string } | { cronJobUid: string });

/**
 * The id of a decision contains the Job or CronJob, the number, the chain of workflow runs, and a digest of the
 * content.
 */
export function decisionId(content: DecisionSubject & { number: number; firstRunId: string }): string {
  const { cluster, number, firstRunId } = content;
  const uid = 'jobUid' in content ? content.jobUid : content.cronJobUid;
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
