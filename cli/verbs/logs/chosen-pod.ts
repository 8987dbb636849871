import { InputError } from '../../../services/adapters/errors.ts';
import type { PodView } from '../../../services/read-model/views/jobs.ts';
import type { PodThere } from '../../sources/pods-of-job.ts';

/** The pod of the chosen attempt of a Job, with the data that kubectl needs for its logs. */
export interface ChosenPod {
  name: string;
  uid: string;
  /** The cluster in which the pod runs. */
  cluster: string;
  /** True when the container was restarted in the pod, so that kubectl must read the logs of the previous run. */
  isRestarted: boolean;
}

/**
 * The latest attempt, or the latest attempt of a given index; with `previous`, the latest failed attempt. `pods` are
 * in the order of their creation. @throws InputError when no pod fits, or when its logs are gone.
 */
export function chosenPod(
  pods: readonly PodThere[],
  { index, previous }: { index?: number | undefined; previous: boolean },
  job: string,
): ChosenPod {
  const all = index === undefined ? pods : pods.filter((pod) => pod.completion_index === index);
  const of = `${job}${index === undefined ? '' : `, index ${index},`}`;
  const latest = all.at(-1);
  if (latest === undefined)
    throw new InputError(`${of} has had no pod yet: "jobledger why" shows the reason`);
  const failed = previous ? all.findLast(hasFailed) : undefined;
  const isRestarted = previous && failed === undefined && latest.restarts > 0;
  if (previous && failed === undefined && !isRestarted)
    throw new InputError(`no attempt of ${of} has failed`);
  const pod = failed ?? latest;
  requireLogs(pod);
  return { name: pod.name, uid: pod.uid, cluster: pod.cluster, isRestarted };
}

/** True for the pod of a failed attempt. A pod that was deleted while it ran is no failed attempt (docs/vocabulary.md), and has no logs any more. */
function hasFailed({ phase, counted_as: counted, end_message: why }: PodView): boolean {
  return (phase === 'Failed' || counted === 'failed') && why?.startsWith('deleted ') !== true;
}

/** Requires that the pod has started and was not deleted. @throws InputError. */
function requireLogs({ name, deleted_at: deleted, started_at: started, reason }: PodView): void {
  if (deleted !== null)
    throw new InputError(
      `pod ${name} was deleted at ${deleted}, and its logs with it: look for them in the log store of your cluster, if there is one`,
    );
  if (started === null)
    throw new InputError(
      `pod ${name} has not started${reason === null ? '' : ` (${reason})`}: it has no logs yet`,
    );
}
