import { isDeepStrictEqual } from 'node:util';
import type { AgentPod, PodCondition, PodStatus } from './pod.ts';

/** A condition in a patch: null takes a text away that the API still holds. */
type ConditionPatch = Omit<PodCondition, 'reason' | 'message'> & {
  reason: string | null;
  message: string | null;
};

/** A strategic merge patch of the status subresource; the uid makes it fail on another pod of the same name. */
export interface StatusPatch {
  metadata: { uid: string };
  status: Omit<PodStatus, 'conditions'> & { conditions?: ConditionPatch[] };
}

/**
 * What must be written so that the API, which holds `written`, holds `desired`; or nothing.
 * Conditions merge by type, so those of others stay; a generation alone is no news worth a write.
 */
export function statusPatch(pod: AgentPod, written: PodStatus, desired: PodStatus): StatusPatch | undefined {
  const { conditions = [], observedGeneration, ...fields } = desired;
  const changed = Object.entries(fields).filter(
    ([field, value]) => !isDeepStrictEqual(value, written[field as keyof PodStatus]),
  );
  const news = conditions.filter((one) => !isHeld(one, written.conditions ?? []));
  if (changed.length === 0 && news.length === 0) return undefined;
  return {
    metadata: { uid: pod.metadata.uid },
    status: {
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      ...Object.fromEntries(changed),
      ...(news.length === 0 ? {} : { conditions: news.map(asPatch) }),
    },
  };
}

function asPatch(condition: PodCondition): ConditionPatch {
  return { ...condition, reason: condition.reason ?? null, message: condition.message ?? null };
}

function isHeld(condition: PodCondition, held: readonly PodCondition[]): boolean {
  const found = held.find((one) => one.type === condition.type);
  if (found === undefined) return false;
  // The scheduler's own; only a missing one is ours to add.
  if (condition.type === 'PodScheduled') return true;
  return (
    found.status === condition.status &&
    found.reason === condition.reason &&
    found.message === condition.message
  );
}
