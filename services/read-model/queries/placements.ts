import type { Run } from '../../adapters/postgres/database.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import { formatIndexes, union, type Indexes } from '../../../workflows/batch/completion-indexes.ts';
import { grantedIndexes } from '../../../workflows/batch/index-grant.ts';
import type { PlacementRow } from '../tables/placements.ts';
import { columnsIn } from '../views/view.ts';
import { PLACEMENT_VIEW, type PlacementView } from '../views/placements.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

type Recorded = Omit<PlacementView, 'current_indexes' | 'granted'> & Pick<PlacementRow, 'granted'>;

const COUNTED = { indexes: true, succeeded: true, failed: true } as const;
const SEEN = { current_indexes: true, kubectl_status: true, active: true } as const;

/**
 * The grants of a placed Job to clusters, in order, each with its member; empty for any other Job. `at` limits the data
 * to an instant; null means the present. @throws RefusedStatementError for an instant before the horizon.
 */
export async function readPlacements(
  run: Run,
  job: JobKey,
  at: string | null = null,
): Promise<PlacementView[]> {
  const rows = await run<Recorded>(at === null ? selectGrants(job) : selectGrantsAt(job, at));
  const instant = at === null ? Number.POSITIVE_INFINITY : Date.parse(at);
  return rows.map((row) => grantAt(row, instant));
}

function selectGrants({ cluster, uid }: JobKey): Statement {
  return {
    text: `select ${columnsIn(PLACEMENT_VIEW.omit(SEEN))}, member.kubectl_status, member.active
      from jobledger.placements p
      left join lateral (select jobs.kubectl_status, jobs.active from jobledger.jobs
        where jobs.cluster = p.placed_in and jobs.uid = p.member_uid) member on true
      where p.cluster = $1 and p.job_uid = $2 order by p.grant_number`,
    values: [cluster, uid],
  };
}

/** Selects the grants by an instant, with the counters of the member's status at that instant. */
function selectGrantsAt({ cluster, uid }: JobKey, at: string): Statement {
  return {
    text: `select ${columnsIn(PLACEMENT_VIEW.omit({ ...SEEN, ...COUNTED }))}, member.kubectl_status, member.active,
        member.completed_indexes as indexes, coalesce(member.succeeded, 0) as succeeded, coalesce(member.failed, 0) as failed
      from jobledger.placements p
      left join lateral (select seen.kubectl_status, seen.active, seen.completed_indexes, seen.succeeded, seen.failed
        from jobledger.job_seen(p.placed_in, p.member_uid, $3) seen) member on true
      where p.cluster = $1 and p.job_uid = $2 and p.given_at <= $3::timestamptz
        and jobledger.requires_horizon($3) order by p.grant_number`,
    values: [cluster, uid, at],
  };
}

/** The grant as known at an instant, without later records. */
function grantAt(row: Recorded, at: number): PlacementView {
  const hasEnded = row.ended_at !== null && Date.parse(row.ended_at) <= at;
  const end = hasEnded
    ? {}
    : { ended_at: null, end_reason: null, end_decision: null, end_message: null, refused: null };
  const over = hasEnded ? row.ended_at : null;
  const held =
    row.granted
      ?.filter(({ since }) => Date.parse(since) <= at)
      .map(({ askedIn: _ofProjector, ...each }) => {
        const until = each.until !== null && Date.parse(each.until) <= at ? each.until : null;
        return { ...each, until: until ?? over };
      }) ?? null;
  return { ...row, ...end, granted: held, current_indexes: held === null ? null : currentIndexes(held) };
}

function currentIndexes(held: NonNullable<PlacementView['granted']>): string {
  const sets = held.filter(({ until }) => until === null).map(grantedIndexes);
  return formatIndexes(sets.reduce<Indexes>(union, []));
}
