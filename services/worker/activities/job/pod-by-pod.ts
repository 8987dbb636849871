import { isRetryable } from '../../../adapters/errors.ts';
import type { CommandContext } from './command-context.ts';

/** What identifies a pod to create, or an existing one. */
interface Identified {
  name: string;
  uid?: string;
}

/** The outcomes of the pods of one command, with those that earlier attempts are known to have had. */
export interface PodByPod<Outcome> {
  /** Acts on the pods that have no outcome yet, some at a time, until time is up. */
  each<Pod extends Identified>(pods: readonly Pod[], act: (pod: Pod) => Promise<Outcome>): Promise<void>;
  /** The outcomes of these pods that are known, in their order. */
  of(pods: readonly Identified[]): Outcome[];
}

const IN_PARALLEL = 50;

/**
 * Keeps progress by pod: an attempt that ends early costs only what it had begun. A command that takes long ends with the pods
 * that are done, so that the Job is decided on again. `key`: what identifies a pod.
 */
export function podByPod<Outcome extends Identified>(
  { parts, isLate }: Pick<CommandContext, 'parts' | 'isLate'>,
  key: 'name' | 'uid',
): PodByPod<Outcome> {
  // Written by an attempt of the same command, on a worker of the same build.
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
