import { isoTime } from '../../ledger/instants.ts';
import type { Decision } from '../../decision/stream.ts';
import { waitingCauseId } from './cause-id.ts';
import type { Wait } from './types.ts';

/** The waits that decisions record; consecutive decisions with the same reason to wait count as one wait. */
export function decidedWaits(effective: readonly Decision[]): Wait[] {
  const waits: Wait[] = [];
  let open: Wait | null = null;
  for (const { id, data } of effective) {
    const { now, waiting } = data;
    if (open !== null && open.message === waiting?.message && open.rule === waiting.rule) continue;
    if (open !== null) open.until = isoTime(now);
    open =
      waiting === null
        ? null
        : {
            since: isoTime(now),
            until: null,
            message: waiting.message,
            rule: waiting.rule,
            because: [waitingCauseId(id)],
          };
    if (open !== null) waits.push(open);
  }
  return waits;
}

/** The first of the consecutive decisions that wait for the same reason as the last decision. */
export function firstWithSameWait<D extends Decision>(effective: readonly D[], last: D): D {
  /** True for a decision with the same reason to wait as the last decision. */
  const hasSameWait = ({ data }: D): boolean =>
    JSON.stringify(data.waiting) === JSON.stringify(last.data.waiting);
  const before = effective.findLastIndex((decision) => !hasSameWait(decision));
  return effective[before + 1] ?? last;
}
