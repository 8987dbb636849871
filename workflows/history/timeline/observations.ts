import type { InEpoch } from '../../ledger/recorded-event.ts';
import { compareVersions } from '../../ledger/resource-version.ts';

/** The text for an observation that is older than the previous observation. */
export const OLDER = 'an older version, seen late';

/** True when an observation is older than the previous observation of the same object. */
export type IsOlder = (
  event: { data: InEpoch },
  now: { uid: string; resourceVersion: string },
  before: { resourceVersion: string } | null,
) => boolean;

/**
 * Creates a comparison of versions with the previous observation of the same object; versions are compared only
 * within an epoch, because each epoch starts its versions over.
 */
export function createIsOlder(): IsOlder {
  const epochs = new Map<string, number>();
  return ({ data: { epoch = 0 } }, { uid, resourceVersion }, before) => {
    const last = epochs.get(uid) ?? 0;
    if (epoch !== last) {
      epochs.set(uid, Math.max(epoch, last));
      return epoch < last;
    }
    return before !== null && compareVersions(resourceVersion, before.resourceVersion) < 0;
  };
}

/** The end of the text of a deletion that no watch reported; empty when a watch reported the deletion. */
export function unseenText(seen: boolean): string {
  return seen ? '' : ' while nobody watched';
}
