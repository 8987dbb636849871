import type { Reason } from '../../reason.ts';
import { apiErrorDelay } from '../api-retry.ts';
import type { JobFacts } from '../../facts.ts';
import type { JobState } from '../../state.ts';
import { only, type Verdict } from '../verdict.ts';

/**
 * Orphans older than the Job are not recorded, because no Job matched them then. Only a `manualSelector` can match such pods
 * (J-1.10), so for such a Job they are looked up first; upstream lists pods in each sync (J-3.30).
 */
export function findOrphans(state: JobState, job: JobFacts, now: number): Verdict | null {
  if (job.spec.manualSelector !== true || job.deleting || state.orphansFound) return null;
  const held = apiErrorDelay(state, now, ['LookUpOrphans']);
  if (held !== null) return { commands: [], ...held };
  const why: Reason = {
    rule: 'J-3.30',
    words: 'the selector is the author’s own: pods may be older than the Job',
  };
  return only({ kind: 'LookUpOrphans', selector: job.spec.selector, why });
}
