import { compareVersions } from '../../job/definitions/resource-version.ts';
import type { MemberFacts } from '../facts.ts';

type Version = Pick<MemberFacts, 'resourceVersion' | 'epoch'>;

/** A version of a later epoch of its cluster is newer than all of an earlier one. */
export function isNewer(a: Version, b: Version): boolean {
  const epochs = (a.epoch ?? 0) - (b.epoch ?? 0);
  return epochs > 0 || (epochs === 0 && compareVersions(a.resourceVersion, b.resourceVersion) > 0);
}
