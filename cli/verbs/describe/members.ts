import type { JobView } from '../../../services/read-model/views/jobs.ts';
import type { PlacementView } from '../../../services/read-model/views/placements.ts';
import { isSpread } from '../../print/member-table.ts';
import { createdMembers, type MemberView, type PodThere } from '../../sources/pods-of-job.ts';
import { table } from '../../print/table.ts';

/**
 * The members of a placed Job whose pods are shown: all members of a spread Job, otherwise the last member; empty for
 * any other Job.
 */
export function shownMembers(placements: readonly PlacementView[]): MemberView[] {
  const known = createdMembers(placements);
  return isSpread(placements) ? known : known.slice(-1);
}

/** The pods with their member; null when the pods belong to the Job itself. */
export function podsByMember(
  placements: readonly PlacementView[],
  pods: readonly PodThere[],
): { member: MemberView | null; pods: readonly PodThere[] }[] {
  const members = shownMembers(placements);
  if (members.length === 0) return [{ member: null, pods }];
  return members.map((member) => ({
    member,
    pods: pods.filter(
      ({ cluster, job_name: name }) => cluster === member.placed_in && name === member.member_name,
    ),
  }));
}

/** The kubectl command that prints the log of an existing pod, in each cluster that has such a pod. */
export function logLines(
  { cluster: home, namespace }: JobView,
  groups: ReturnType<typeof podsByMember>,
): [string, string][] {
  const lines = groups.flatMap(({ member, pods }): [string, string][] => {
    const pod = pods.findLast(({ deleted_at: deleted }) => deleted === null);
    const cluster = member?.placed_in ?? home;
    return pod === undefined
      ? []
      : [[cluster, `kubectl --context ${cluster} -n ${namespace} logs ${pod.name}`]];
  });
  // A cluster may have had several members.
  const latest = [...new Map(lines)];
  return latest.map(([cluster, line]) => [
    latest.length === 1 ? 'Log of a pod' : `Log of a pod in ${cluster}`,
    line,
  ]);
}

/** Which cluster had which indexes of a spread Job, in the order in which they were given. */
export function heldTable(placements: readonly PlacementView[]): string {
  const held = placements.flatMap(({ placed_in: cluster, granted: sets }) =>
    (sets ?? []).map((each) => ({ cluster, ...each })),
  );
  return table(
    ['INDEXES', 'CLUSTER', 'FROM', 'UNTIL'],
    held
      .toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
      .map(({ indexes, cluster, since, until }) => [indexes, cluster, since, until ?? 'now']),
  );
}
