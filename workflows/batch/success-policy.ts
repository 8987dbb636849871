import type { Reason } from '../decision/reason.ts';
import type { JobSpec, SuccessPolicy } from '../kubernetes/objects.ts';
import {
  countOverlap,
  parseIndexes,
  countIndexes,
  type Indexes,
  type IndexSets,
} from './completion-indexes.ts';
import type { Ending } from './ending.ts';

/**
 * The end of a Job that meets a rule of the success policy; the policy is checked after an index has succeeded
 * (J-6.31, J-6.32).
 */
export function successPolicyMet({
  job,
  indexes,
}: {
  job: { spec: Pick<JobSpec, 'successPolicy' | 'completions'> };
  indexes: IndexSets | null;
}): Ending | null {
  const { successPolicy, completions = 0 } = job.spec;
  if (indexes === null || successPolicy === undefined || indexes.completed.length === 0) return null;
  const met = successPolicy.rules.findIndex((rule) => isMet(rule, indexes.completed, completions));
  if (met < 0) return null;
  const message = `Matched rules at index ${met}`;
  const text = `rule ${met} of the success policy is met, ${countIndexes(indexes.completed)} indexes succeeded`;
  const why: Reason = { rule: 'J-6.31', message: text };
  return { type: 'Complete', reason: 'SuccessPolicy', message, isStored: false, why };
}

/** True when the completed indexes meet a rule of the success policy. */
function isMet(
  { succeededIndexes, succeededCount }: SuccessPolicy['rules'][number],
  completed: Indexes,
  completions: number,
): boolean {
  const enough = succeededCount ?? Infinity;
  if (succeededIndexes === undefined) return countIndexes(completed) >= enough;
  const listed = parseIndexes(succeededIndexes, completions);
  return listed.length > 0 && countOverlap(listed, completed) >= Math.min(enough, countIndexes(listed));
}
