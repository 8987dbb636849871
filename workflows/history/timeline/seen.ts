import { compareVersions } from '../../job/definitions/resource-version.ts';

/** The words of an observation that is older than the previous one. */
export const OLDER = 'an older version, seen late';

export function isOlder(
  now: { resourceVersion: string },
  before: { resourceVersion: string } | null,
): boolean {
  return before !== null && compareVersions(now.resourceVersion, before.resourceVersion) < 0;
}

/** `seen`: whether the deletion was watched. */
export function unseen(seen: boolean): string {
  return seen ? '' : ' while nobody watched';
}
