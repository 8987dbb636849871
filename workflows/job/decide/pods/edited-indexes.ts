import { podRef } from '../../definitions/pod-refs.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import type { JobState } from '../../state.ts';

/** The highest number of pods that are named, each with an Event. */
const MOST_NAMED = 10;

/** The pods whose annotation has another index than the index of their creation, as text (J-0.4). */
export function editedIndexes({ pods }: JobState, job: JobFacts): string[] {
  const isMember = job.annotations?.indexes !== undefined;
  const counts = isMember ? 'its creation' : 'the annotation';
  const edited = Object.entries(pods).filter(([, { createdFor }]) => createdFor !== undefined);
  return edited
    .map(([uid, pod]) => {
      const { name } = podRef(job, uid, pod);
      return `the annotation with the index of the pod ${name} was edited: it was created for index ${pod.createdFor}; the index of ${counts} counts`;
    })
    .toSorted()
    .slice(0, MOST_NAMED);
}
