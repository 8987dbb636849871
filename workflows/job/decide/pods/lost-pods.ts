import type { JobFacts } from '../../facts.ts';
import { refOf } from '../../definitions/pod-refs.ts';
import type { JobState } from '../../state.ts';
import { only, type Verdict } from '../verdict.ts';

/** A created pod that is not observed for this long, in milliseconds, is looked up. */
const UNSEEN_LIMIT_MS = 60_000;

/**
 * A pod that was deleted before it was observed would stay active for ever. Upstream forgets such a creation after five
 * minutes (J-3.21); here the pod is read from the API server.
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

/** When the next look-up is due, in milliseconds; null when none is. */
export function nextLookUp(state: JobState): number | null {
  const unseen = Object.values(state.pods).filter((pod) => pod.unseen === true);
  return unseen.length === 0 ? null : Math.min(...unseen.map((pod) => pod.created * 1000 + UNSEEN_LIMIT_MS));
}
