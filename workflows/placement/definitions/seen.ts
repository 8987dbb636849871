import { compareVersions } from '../../ledger/resource-version.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { MemberVersion } from '../commands.ts';
import type { MemberFacts } from '../facts.ts';
import { memberSpec } from './member-spec.ts';

/**
 * The member of an ended grant in the version that its own controller knows; an answer to a request of the
 * controller, and no watch, may have shown this version (J-16.7).
 */
export type SeenMember = { grant: number } & Pick<
  MemberFacts,
  'uid' | 'resourceVersion' | 'generation' | 'epoch' | 'deleting' | 'spec' | 'status'
>;

/**
 * The member in its own stream; null when the stream is not newer than the version that the home knows. Versions of
 * two epochs cannot be compared: after a restore of its cluster, the stream counts only when a status shows counters
 * that are not lower than before.
 */
export function seenMember(
  { job, epoch }: { job: JobFacts | null; epoch: number },
  grant: number,
  known: MemberVersion,
): SeenMember | null {
  if (job === null || job.atLeast !== undefined || epoch !== (known.epoch ?? 0)) return null;
  const { uid, resourceVersion, generation, deleting, spec, status } = job;
  if (compareVersions(resourceVersion, known.resourceVersion) <= 0) return null;
  return {
    grant,
    uid,
    resourceVersion,
    generation,
    ...(epoch > 0 && { epoch }),
    ...(deleting && { deleting }),
    spec: memberSpec(spec),
    status,
  };
}

/**
 * The maximum number of characters of JSON for the seen members in a decision, because a status may list many
 * indexes.
 */
const LONGEST = 200_000;

/** The first of the seen members, limited to the number that a decision can record. */
export function recordableMembers(seen: readonly SeenMember[]): SeenMember[] {
  let length = 0;
  return seen.filter((each) => {
    length += JSON.stringify(each).length;
    return length <= LONGEST;
  });
}
