import type { InEpoch } from '../../ledger/recorded-event.ts';
import { compareVersions } from '../../ledger/resource-version.ts';

/** The text for an observation that is older than an observation before it. */
export const OLDER = 'an older version, seen late';

/**
 * True when an observation is older than `newest`, the newest observation of the same object so far; null before the
 * first. Each observation must be passed once, in the order of the stream, because the function remembers the epoch of
 * each object.
 */
export type IsOlder = (
  event: { data: InEpoch },
  observed: { uid: string; resourceVersion: string },
  newest: { resourceVersion: string } | null,
) => boolean;

/** Creates the comparison of the observations of a stream. Versions count only within an epoch. */
export function createIsOlder(): IsOlder {
  const highestEpochs = new Map<string, number>();
  return ({ data: { epoch = 0 } }, { uid, resourceVersion }, newest) => {
    const highest = highestEpochs.get(uid) ?? 0;
    if (epoch !== highest) {
      highestEpochs.set(uid, Math.max(epoch, highest));
      return epoch < highest;
    }
    return newest !== null && compareVersions(resourceVersion, newest.resourceVersion) < 0;
  };
}

/** The text for a deletion; `seen` is false when no watch reported it. */
export function deletedText(seen: boolean): string {
  return seen ? 'deleted' : 'deleted while nobody watched';
}
