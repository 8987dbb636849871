import type { PlacementView } from '../../services/read-model/views/placements.ts';
import { table } from './table.ts';

/** True when the Job runs in several clusters at the same time, each with some of its indexes. */
export function isSpread(placements: readonly PlacementView[]): boolean {
  return placements.some(({ granted: held }) => held !== null);
}

/** A line for each cluster that got a part of a spread Job; clusters that refused the Job have no line. */
export function memberTable(placements: readonly PlacementView[]): string {
  return table(
    ['CLUSTER', 'MEMBER', 'STATUS', 'INDEXES', 'ACTIVE', 'SUCCEEDED', 'FAILED'],
    placements
      .filter(({ member_uid: uid, ended_at: ended }) => uid !== null || ended === null)
      .map((each) => [
        each.placed_in,
        each.member_name,
        statusCell(each),
        each.current_indexes ?? '',
        String(each.active ?? 0),
        String(each.succeeded),
        String(each.failed),
      ]),
  );
}

/** The status of a member, or the reason why its cluster no longer has the indexes. */
function statusCell({
  kubectl_status: status,
  stopping,
  ended_at: ended,
  end_reason: reason,
}: PlacementView): string {
  const word = status ?? 'not seen yet';
  if (ended !== null) return reason === 'finished' ? word : `ended: ${reason}`;
  return stopping === null ? word : `${word}, stops: ${stopping}`;
}
