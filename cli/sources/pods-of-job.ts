import { InputError } from '../../services/adapters/errors.ts';
import type { JobView, PodView } from '../../services/read-model/views/jobs.ts';
import type { PlacementView } from '../../services/read-model/views/placements.ts';
import { PLACEMENT_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { RowKey, RowSource } from './row-source.ts';

/** A pod of a Job or of the member of a placed Job, with the cluster in which it runs. */
export type PodThere = PodView & { cluster: string; job_name: string };

/** A grant whose member is known to have been created. */
export type MemberView = PlacementView & { member_uid: string };

/** The placements of a placed Job, in their order; empty for any other Job. */
export async function readPlacements(rows: RowSource, job: JobView): Promise<PlacementView[]> {
  return job.managed_by === PLACEMENT_MANAGER ? rows.placements(job) : [];
}

/** The members that are known to have been created. */
export function createdMembers(placements: readonly PlacementView[]): MemberView[] {
  return placements.filter((each): each is MemberView => each.member_uid !== null);
}

/** The pods of a Job, each with the cluster and the name of the Job. */
export async function podsOfJob(rows: RowSource, job: RowKey): Promise<PodThere[]> {
  const { cluster, name } = job;
  return (await rows.pods(job)).map((pod) => ({ ...pod, cluster, job_name: name }));
}

/** The pods of members of a placed Job, which has no pods itself; pods that the reader may not see are left out. */
export async function podsOfMembers(
  rows: RowSource,
  { namespace }: JobView,
  members: readonly MemberView[],
): Promise<PodThere[]> {
  const pods: PodThere[] = [];
  for (const { placed_in: cluster, member_name: name, member_uid: uid } of members) {
    try {
      pods.push(...(await podsOfJob(rows, { cluster, namespace, name, uid })));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
  return pods;
}
