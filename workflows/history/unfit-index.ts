import { isIndexed } from '../batch/completion-indexes.ts';
import { plainNumbers } from '../ledger/plain-numbers.ts';
import type { Job } from '../kubernetes/objects.ts';

/** The reason why a Job does not have an index; null when the Job has the index, or was never observed. */
export function unfitIndex(
  spec: Pick<Job['spec'], 'completionMode' | 'completions'> | undefined,
  index: number,
): string | null {
  if (spec === undefined) return null;
  if (!isIndexed(spec)) return 'the Job has no indexes: its completionMode is not Indexed';
  const { completions = 0 } = plainNumbers(spec);
  return index >= completions
    ? `the Job has no index ${index}: its indexes go from 0 to ${completions - 1}`
    : null;
}
