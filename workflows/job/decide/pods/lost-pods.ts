import type { JobFacts } from '../../facts.ts';
import { refOf } from '../../definitions/pod-refs.ts';
import type { JobState } from '../../state.ts';
import { only, type Verdict } from '../verdict.ts';

/** A pod that was created and is not observed for so long, in milliseconds, is looked up. */
const UNSEEN_LIMIT_MS = 60_000;

/**
 * A pod that went before anybody observed it would count as active for ever. Upstream forgets such a creation after
 * five minutes (J-3.21); here the API server is asked.
 */
export function findLostPods(state: JobState, job: JobFacts, now: number): Verdict | null {
  const lost = Object.entries(state.pods).filter(
    ([, pod]) => pod.unseen === true && pod.created * 1000 + UNSEEN_LIMIT_MS <= now,
  );
  if (lost.length === 0) return null;
  const pods = lost.map(([uid, pod]) => refOf(job, uid, pod));
  return only({
    kind: 'LookUpPods',
    pods,
    why: { rule: 'J-3.21', words: 'created a minute ago and not observed since' },
  });
}

/** When the next look-up is due. */
export function nextLookUp(state: JobState): number | null {
  const unseen = Object.values(state.pods).filter((pod) => pod.unseen === true);
  return unseen.length === 0 ? null : Math.min(...unseen.map((pod) => pod.created * 1000 + UNSEEN_LIMIT_MS));
}
