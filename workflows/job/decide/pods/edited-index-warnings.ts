import { podRef } from '../../definitions/pod-refs.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import type { JobState } from '../../state.ts';

/** The highest number of warnings; each becomes an Event. */
const MOST_WARNINGS = 10;

/** A warning for each pod whose annotation names another index than the index for which the pod was created (J-0.4), sorted. */
export function editedIndexWarnings({ pods }: JobState, job: JobFacts): string[] {
  // Kubernetes counts the annotation. In a member of a spread Job, one index would then run twice and another never.
  const isMemberOfSpread = job.annotations?.indexes !== undefined;
  const counted = isMemberOfSpread ? 'its creation' : 'the annotation';
  const edited = Object.entries(pods).filter(([, { createdFor }]) => createdFor !== undefined);
  return edited
    .map(([uid, pod]) => {
      const { name } = podRef(job, uid, pod);
      return `the annotation with the index of the pod ${name} was edited: it was created for index ${pod.createdFor}; the index of ${counted} counts`;
    })
    .toSorted()
    .slice(0, MOST_WARNINGS);
}
