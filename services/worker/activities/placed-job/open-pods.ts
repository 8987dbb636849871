import { contains } from '../../../../workflows/job/definitions/completion-indexes.ts';
import { grantedIndexes } from '../../../../workflows/job/definitions/index-grant.ts';
import { isTerminal } from '../../../../workflows/job/definitions/pod-phase.ts';
import { instantOf } from '../../../../workflows/job/definitions/instants.ts';
import { COMPLETION_INDEX, CONTROLLER_UID_LABEL } from '../../../../workflows/kubernetes/names.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import type { MemberPods } from '../../../../workflows/placement/outcomes.ts';
import { podsPath, type Requesting } from '../requests.ts';

/** The most pods in one page of a list. */
const PAGE = 500;

/**
 * The pods of a Job that have not ended; with `of`, only those of these indexes. A list without a resourceVersion shows the newest state
 * (J-16.10, J-17.4).
 */
export async function openPods(
  { client, job, signal }: Requesting,
  jobUid: string,
  of?: string,
): Promise<MemberPods> {
  const indexes = of === undefined ? null : grantedIndexes({ indexes: of });
  const selector = encodeURIComponent(`${CONTROLLER_UID_LABEL}=${jobUid}`);
  const open: Pod[] = [];
  let next: string | undefined;
  do {
    const page = await client.request<{ metadata: { continue?: string }; items: Pod[] }>({
      method: 'GET',
      path: `${podsPath(job)}?labelSelector=${selector}&limit=${PAGE}${next === undefined ? '' : `&continue=${encodeURIComponent(next)}`}`,
      signal,
    });
    open.push(
      ...page.items.filter(
        (pod) =>
          !isTerminal(pod.status?.phase ?? 'Pending') &&
          (indexes === null || contains(indexes, indexOf(pod))),
      ),
    );
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
  } while (next !== undefined);
  const first = open.map(({ metadata }) => metadata.name).toSorted()[0];
  const isWaiting = open.length > 0 && open.every(({ spec }) => spec.nodeName === undefined);
  const since = Math.min(...open.map(({ metadata }) => instantOf(metadata.creationTimestamp) ?? Infinity));
  return {
    open: open.length,
    ...(isWaiting && Number.isFinite(since) && { unscheduledSince: since }),
    ...(first !== undefined && { first }),
  };
}

function indexOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[COMPLETION_INDEX] ?? -1);
}
