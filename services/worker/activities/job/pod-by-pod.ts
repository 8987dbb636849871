import { isRetryable } from '../../../adapters/errors.ts';
import type { CommandContext } from './command-context.ts';

/** The identity of a pod to create or of an existing pod. */
interface Identified {
  name: string;
  uid?: string;
}

/** The outcomes of the pods of one command, including the known outcomes of earlier attempts. */
export interface PodByPod<Outcome> {
  /** Acts on the pods that have no outcome yet, some pods at a time, until the end of the time. */
  each<Pod extends Identified>(pods: readonly Pod[], act: (pod: Pod) => Promise<Outcome>): Promise<void>;
  /** The known outcomes of these pods, in order. */
  of(pods: readonly Identified[]): Outcome[];
}

const IN_PARALLEL = 50;

/**
 * Keeps the progress by pod, so that only the pods in progress are repeated if an attempt ends early. A long command
 * ends with the completed pods, so that the core decides again. `key` names the field that identifies a pod.
 */
export function createPodByPod<Outcome extends Identified>(
  { parts, isLate }: Pick<CommandContext, 'parts' | 'isLate'>,
  key: 'name' | 'uid',
): PodByPod<Outcome> {
  // An attempt of the same command on a worker of the same build has written these values.
  const known = new Map((parts.before as Outcome[]).map((outcome) => [outcome[key], outcome]));
  const isTimeUp = (): boolean => known.size > 0 && isLate();
  return {
    async each(pods, act) {
      const left = pods.filter((pod) => !known.has(pod[key]));
      for (let at = 0; at < left.length && !isTimeUp(); at += IN_PARALLEL) {
        const acted = left.slice(at, at + IN_PARALLEL).map(async (pod) => {
          known.set(pod[key], await act(pod));
        });
        const settled = await Promise.allSettled(acted);
        parts.keep([...known.values()]);
        const failure = settled.find((each) => each.status === 'rejected');
        if (failure !== undefined && !(isRetryable(failure.reason) && isTimeUp())) throw failure.reason;
      }
    },
    of: (pods) =>
      pods.flatMap((pod) => {
        const outcome = known.get(pod[key]);
        return outcome === undefined ? [] : [outcome];
      }),
  };
}
