import { isDeepStrictEqual } from 'node:util';
import type { AgentPod, PodCondition, PodStatus } from './pod.ts';

/** A condition in a patch; null removes a text that the API still has. */
type ConditionPatch = Omit<PodCondition, 'reason' | 'message'> & {
  reason: string | null;
  message: string | null;
};

/**
 * A strategic merge patch of the status subresource. Because of the uid, the patch fails for another pod with the same
 * name.
 */
export interface StatusPatch {
  metadata: { uid: string };
  status: Omit<PodStatus, 'conditions'> & { conditions?: ConditionPatch[] };
}

/**
 * The patch that turns the status `written` into `desired`; undefined when nothing has changed.
 * Conditions merge by type, so conditions of other owners stay. A changed `observedGeneration` alone causes no write.
 */
export function statusPatch(pod: AgentPod, written: PodStatus, desired: PodStatus): StatusPatch | undefined {
  const { conditions = [], observedGeneration, ...fields } = desired;
  const changed = Object.entries(fields).filter(
    ([field, value]) => !isDeepStrictEqual(value, written[field as keyof PodStatus]),
  );
  const changedConditions = conditions.filter((one) => !isCurrent(one, written.conditions ?? []));
  if (changed.length === 0 && changedConditions.length === 0) return undefined;
  return {
    metadata: { uid: pod.metadata.uid },
    status: {
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      ...Object.fromEntries(changed),
      ...(changedConditions.length === 0 ? {} : { conditions: changedConditions.map(asPatch) }),
    },
  };
}

function asPatch(condition: PodCondition): ConditionPatch {
  return { ...condition, reason: condition.reason ?? null, message: condition.message ?? null };
}

/** True when the API already has this condition. */
function isCurrent(condition: PodCondition, held: readonly PodCondition[]): boolean {
  const found = held.find((one) => one.type === condition.type);
  if (found === undefined) return false;
  // The scheduler owns PodScheduled; the agent adds this condition only when it is missing.
  if (condition.type === 'PodScheduled') return true;
  return (
    found.status === condition.status &&
    found.reason === condition.reason &&
    found.message === condition.message
  );
}
