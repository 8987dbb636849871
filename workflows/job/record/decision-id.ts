import { digestOf } from './digest.ts';
import type { DecisionContent } from '../events.ts';

/**
 * Version of the core, recorded with each decision. It changes when `compact`, `evolve` or `decide` may answer otherwise;
 * the versions before stay at hand (workflows/cores).
 */
export const CORE_VERSION = '2';

/** The id of a decision: Job, chain, number and a digest of everything that it says. */
export function decisionId(content: DecisionContent): string {
  return `${content.cluster}/${content.jobUid}/decision/${content.number}/${content.chain.slice(0, 8)}/${digestOf(content)}`;
}

/** The id of an outcome: its decision, the command's number, and a digest, as an attempt may be made again. */
export function outcomeId(decision: string, command: number, content: unknown): string {
  return `${decision}/answer/${command}/${digestOf(content)}`;
}

/** The id of the record that holds a part of what a decision had folded, counted from 0. */
export function foldedId(decision: string, part: number): string {
  return `${decision}/folded/${part}`;
}
