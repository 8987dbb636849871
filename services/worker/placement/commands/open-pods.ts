import { contains } from '../../../../workflows/batch/completion-indexes.ts';
import { grantedIndexes } from '../../../../workflows/batch/index-grant.ts';
import { indexOfName } from '../../../../workflows/job/definitions/pod-names.ts';
import { isTerminal } from '../../../../workflows/job/definitions/pod-phase.ts';
import { parseInstant } from '../../../../workflows/ledger/instants.ts';
import { CONTROLLER_UID_LABEL } from '../../../../workflows/kubernetes/names.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import { indexOfPod } from '../../../../workflows/kubernetes/pod-index.ts';
import type { MemberPods } from '../../../../workflows/placement/outcomes.ts';
import { listPages } from '../../../adapters/kubernetes/watch.ts';
import { podsPath, type Requesting } from '../../command/requests.ts';

/**
 * Counts the pods of a Job that have not ended; with `of`, only the pods of these indexes. A list without a
 * resourceVersion shows the newest state (J-16.10, J-17.4).
 */
export async function countOpenPods(
  { client, job, signal }: Requesting,
  jobUid: string,
  of?: string,
): Promise<MemberPods> {
  const indexes = of === undefined ? null : grantedIndexes({ indexes: of });
  const selector = encodeURIComponent(`${CONTROLLER_UID_LABEL}=${jobUid}`);
  const isAbout = (pod: Pod): boolean => {
    // The index in the name of the pod counts even if its annotation differs, because the member has created the pod for
    // this index.
    const index = indexOfName({ uid: jobUid, name: job.name }, pod.metadata.name) ?? indexOfPod(pod);
    return indexes === null || (index !== null && contains(indexes, index));
  };
  const open: Pod[] = [];
  for await (const { items } of listPages<Pod>(client, podsPath(job), `labelSelector=${selector}`, signal))
    open.push(...items.filter((pod) => !isTerminal(pod.status?.phase ?? 'Pending') && isAbout(pod)));
  const first = open.map(({ metadata }) => metadata.name).toSorted()[0];
  const isWaiting = open.length > 0 && open.every(({ spec }) => spec.nodeName === undefined);
  const since = Math.min(...open.map(({ metadata }) => parseInstant(metadata.creationTimestamp) ?? Infinity));
  return {
    open: open.length,
    ...(isWaiting && Number.isFinite(since) && { unscheduledSince: since }),
    ...(first !== undefined && { first }),
  };
}
