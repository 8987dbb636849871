import type { ListedDecision } from '../../api/rows.ts';

/** A back-off of one index: the instants of its decision and of the earliest next attempt, in milliseconds since 1970. */
export interface IndexBackOff {
  decided: number;
  until: number;
}

const OF_INDEX = /^no pod before (\S+): back-off of index (\d+)\b/;

/**
 * The recorded back-offs of each index, in order. The result is null when no back-off names an index, because failures delay the whole Job
 * (`backoffLimit`), or
 * because no attempt was delayed.
 */
export function indexBackOffs(
  decisions: readonly ListedDecision[],
): ReadonlyMap<number, readonly IndexBackOff[]> | null {
  const found = new Map<number, IndexBackOff[]>();
  for (const { waiting_message: message, recorded_at: recorded } of decisions) {
    const [, until, index] = OF_INDEX.exec(message ?? '') ?? [];
    if (until === undefined) continue;
    const own = found.get(Number(index)) ?? [];
    own.push({ decided: Date.parse(recorded), until: Date.parse(until) });
    found.set(Number(index), own);
  }
  return found.size === 0 ? null : found;
}
