import type { ListedPlacement } from '../api/rows.ts';

const STOPPING: Readonly<Record<string, string>> = {
  drain: 'the cluster is drained',
  spill: 'its pods found no node',
  lost: 'the cluster is lost',
  returned: 'another cluster has the Job',
};

/** The reason why a cluster lost the Job; while it has the Job, the reason for a stop in progress. */
export function placementEnd({
  ended_at: endedAt,
  stopping,
  end_reason: reason,
  refused,
  end_message: message,
  overlapped,
}: ListedPlacement): string {
  if (endedAt === null)
    return stopping === null ? '' : `the member is being stopped: ${STOPPING[stopping] ?? stopping}`;
  const parts = [reason, refused ?? message].filter((part) => part !== null);
  return `${parts.join(': ')}${overlapped ? '; its later work overlaps with another cluster' : ''}`;
}

/** A row of the table: a placement, or several of one cluster, in a row, that had no member; `times`: how many. */
export interface ShownPlacement {
  placement: ListedPlacement;
  times: number;
}

/** The placements in order; refusals of one cluster in a row become one row, from the first to the last. */
export function placementRows(placements: readonly ListedPlacement[]): ShownPlacement[] {
  const rows: ShownPlacement[] = [];
  for (const placement of placements) {
    const before = rows.findLast(({ placement: { placed_in: cluster } }) => cluster === placement.placed_in);
    const isAgain = before !== undefined && isRefused(placement) && rowsAreRefused(rows, before);
    if (isAgain) {
      before.placement = { ...placement, given_at: before.placement.given_at };
      before.times += 1;
    } else rows.push({ placement, times: 1 });
  }
  return rows;
}

/** This row, and all later rows. */
function rowsAreRefused(rows: readonly ShownPlacement[], from: ShownPlacement): boolean {
  return rows.slice(rows.indexOf(from)).every(({ placement }) => isRefused(placement));
}

function isRefused({ end_reason: reason, member_uid: member }: ListedPlacement): boolean {
  return reason === 'refused' && member === null;
}

/** `placementEnd`, with the number of repetitions. */
export function placementRowEnd({ placement, times }: ShownPlacement): string {
  const end = placementEnd(placement);
  return times === 1 ? end : `${times} times in a row, the last ${end}`;
}
