import type { ListedPlacement } from '../../api/rows.ts';

const STOPPING: Readonly<Record<string, string>> = {
  drain: 'the cluster is drained',
  spill: 'the pods of the member found no node',
  lost: 'the cluster is lost',
  returned: 'another cluster has the Job',
};

/** The reason why the placement in a cluster ended; for a placement that has not ended, the reason why its member is being stopped. */
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
  return `${parts.join(': ')}${overlapped ? '; the later work of the member overlaps with that of another cluster' : ''}`;
}

/** A row of the table: a placement, or the last of `times` consecutive placements that one cluster refused. */
export interface ShownPlacement {
  placement: ListedPlacement;
  times: number;
}

/** The placements in order; consecutive refusals of one cluster become one row. */
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

/** True when this row and all later rows are refusals. */
function rowsAreRefused(rows: readonly ShownPlacement[], from: ShownPlacement): boolean {
  return rows.slice(rows.indexOf(from)).every(({ placement }) => isRefused(placement));
}

/** True when the cluster refused the placement, so that no member was created. */
function isRefused({ end_reason: reason, member_uid: member }: ListedPlacement): boolean {
  return reason === 'refused' && member === null;
}

/** The text of `placementEnd` for a row, with the number of its placements. */
export function placementRowEnd({ placement, times }: ShownPlacement): string {
  const end = placementEnd(placement);
  return times === 1 ? end : `${times} times in a row, the last ${end}`;
}
