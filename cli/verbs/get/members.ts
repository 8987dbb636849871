import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import type { PlacementView } from '../../../services/read-model/views/placements.ts';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { write } from '../../output.ts';
import { isSpread, memberTable } from '../../print/member-table.ts';
import { indented } from '../../print/table.ts';
import type { RowSource } from '../../sources/row-source.ts';

/** A spread Job with the clusters that got parts of it. */
export interface MembersOfJob {
  job: JobView;
  placements: readonly PlacementView[];
}

/** The members of Jobs that run in several clusters at the same time. */
export async function readMembers(rows: RowSource, jobs: readonly JobView[]): Promise<MembersOfJob[]> {
  const placed = jobs.filter(({ managed_by: manager }) => manager === PLACEMENT_MANAGER);
  const found = await Promise.all(
    placed.map(async (job) => ({ job, placements: await rows.placements(job) })),
  );
  return found.filter(({ placements }) => isSpread(placements));
}

export function printMembers(all: readonly MembersOfJob[]): void {
  for (const { job, placements } of all)
    write(`\nMembers of ${fullName(job)}:\n${indented(memberTable(placements))}`);
}
