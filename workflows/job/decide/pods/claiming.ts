import type { JobPlan } from '../hold-back.ts';
import type { Reason } from '../../../decision/reason.ts';
import { trackingFinalizer } from '../../../kubernetes/names.ts';
import { MAX_PODS_IN_COMMAND, type Command, type PodRef } from '../../commands.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import { podRef } from '../../definitions/pod-refs.ts';
import type { Situation } from '../situation.ts';
import type { PodState } from '../../state.ts';
import { sendOnly } from '../../../decision/verdict.ts';

/**
 * Adopts matching orphans, disowns pods that no longer match, and releases pods without a controller (J-3.31 to
 * J-3.34, J-3.46). No other command is sent until these commands succeed (J-3.34).
 */
export function claimPods({ state, job, settings }: Situation): JobPlan | null {
  const pods = Object.entries(state.pods);
  const adopt = withClaim(pods, job, 'adopt');
  const disown = withClaim(pods, job, 'disown');
  const free = withClaim(pods, job, 'free');
  const commands: Command[] = [];
  if (adopt.length > 0 && !job.deleting) {
    const why: Reason = {
      rule: 'J-3.32',
      message: `${podsText(adopt)} without controller matching the selector`,
    };
    commands.push({ kind: 'AdoptPods', finalizer: trackingFinalizer(settings.claim), pods: adopt, why });
  }
  if (disown.length > 0)
    commands.push({
      kind: 'DisownPods',
      pods: disown,
      why: { rule: 'J-3.33', message: `${podsText(disown)} no longer matching the selector` },
    });
  if (free.length > 0)
    commands.push({
      kind: 'ReleasePods',
      unlessAdopted: true,
      pods: free,
      why: { rule: 'J-4.32', message: `${podsText(free)} that lost the owner reference` },
    });
  if (commands.length === 0) return null;
  return { ...sendOnly(...commands), heldWith: ['AdoptPods', 'DisownPods', 'ReleasePods'] };
}

/** The references to the pods that need this kind of claiming. */
function withClaim(
  pods: readonly [string, PodState][],
  job: JobFacts,
  claim: NonNullable<PodState['claim']>,
): PodRef[] {
  return pods
    .filter(([, pod]) => pod.claim === claim && (claim !== 'free' || pod.untracked !== true))
    .slice(0, MAX_PODS_IN_COMMAND)
    .map(([uid, pod]) => podRef(job, uid, pod));
}

/** A number of pods as text. */
function podsText(pods: readonly unknown[]): string {
  return pods.length === 1 ? '1 pod' : `${pods.length} pods`;
}
