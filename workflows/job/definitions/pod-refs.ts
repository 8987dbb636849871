import type { PodRef } from '../commands.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { podName } from './pod-names.ts';
import type { PodState } from '../state.ts';

/** The reference to a pod in commands. */
export function podRef(job: JobFacts | null, uid: string, pod: PodState): PodRef {
  if (pod.name !== undefined || job === null || pod.ordinal === undefined)
    return { uid, name: pod.name ?? '' };
  return { uid, name: podName(job, pod.ordinal, pod.createdFor ?? pod.index) };
}
