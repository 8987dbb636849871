import type { JobEvent } from '../../job/events.ts';
import type { PolicyChange, PolicyField } from './types.ts';

const OF_INDEXED: readonly PolicyField[] = ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'];

/**
 * The reason why the API server would reject the Job with this policy; null when the API server would accept it
 * (J-1.2 ff.).
 */
export function unfitFor(stream: readonly JobEvent[], change: PolicyChange): string | null {
  const seen = stream.find((event) => event.type === 'job.observed');
  if (seen === undefined) return 'the Job itself was never seen';
  const spec = { ...seen.data.object.spec, ...change };
  const field = OF_INDEXED.find((each) => (change[each] ?? null) !== null);
  if (field !== undefined && spec.completionMode !== 'Indexed')
    return `${field} is for Jobs of completionMode Indexed only`;
  if ((change.maxFailedIndexes ?? null) !== null && (spec.backoffLimitPerIndex ?? null) === null)
    return 'maxFailedIndexes needs backoffLimitPerIndex';
  if (change.completions === null && spec.completionMode === 'Indexed')
    return 'an Indexed Job needs completions';
  const restartPolicy = seen.data.object.spec.template?.spec.restartPolicy;
  if ((change.podFailurePolicy ?? null) !== null && restartPolicy === 'OnFailure')
    return 'podFailurePolicy is for Jobs of restartPolicy Never only';
  return null;
}
