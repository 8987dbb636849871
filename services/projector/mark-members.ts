import { isOfKind, type LedgerEvent } from '../../workflows/ledger-event.ts';
import { PLACED_FOR } from '../../workflows/kubernetes/names.ts';
import { errorMessage } from '../adapters/errors.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** The most members that one statement marks. */
const AT_ONCE = 500;

const INTERVAL_MS = 10_000;

/**
 * Marks the members that were left unmarked because a process ended after its transaction, or because another process
 * had locked the rows.
 */
export async function keepMembersMarked(
  run: Run,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await markMembers(run);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: errorMessage(error) }, 'members of placed Jobs are not marked; trying again');
    }
    await pause(INTERVAL_MS, signal);
  }
}

/**
 * Marks the Jobs in the tables that are known as members of a placed Job. `placements.member_uid` names the member, so
 * a Job that was replaced loses its mark.
 */
export async function markMembers(run: Run): Promise<void> {
  for (;;) {
    // Locked rows are left for the next call, because a wait for these rows could deadlock with a projector.
    const marked = await run(
      sql`with due as (
          select p.cluster, p.job_uid, p.grant_number, j.cluster as member_cluster, j.uid as member_uid, p.marked_uid
          from jobledger.placements p
          join jobledger.jobs j on j.cluster = p.placed_in and j.uid = p.member_uid
          where p.member_uid is not null and p.marked_uid is distinct from p.member_uid
          limit ${AT_ONCE} for update skip locked
        ), members as (
          update jobledger.jobs set member = jobs.uid = due.member_uid from due
          where jobs.cluster = due.member_cluster and jobs.uid in (due.member_uid, due.marked_uid)
        )
        update jobledger.placements p set marked_uid = due.member_uid from due
        where (p.cluster, p.job_uid, p.grant_number) = (due.cluster, due.job_uid, due.grant_number)
        returning p.grant_number`,
    );
    if (marked.length < AT_ONCE) return;
  }
}

/** Marks all members again and unmarks all other Jobs, after rows were replaced. */
export async function markMembersAgain(run: Run): Promise<void> {
  await run(
    sql`update jobledger.jobs set member = false where member and not exists (
        select from jobledger.placements p where p.placed_in = jobs.cluster and p.member_uid = jobs.uid)`,
  );
  await run(sql`update jobledger.placements set marked_uid = null where marked_uid is not null`);
  await markMembers(run);
}

/**
 * True when members may have to be marked after this event. The annotation does not prove that a Job is a member, but
 * makes a search necessary.
 */
export function mayShowMember(event: LedgerEvent): boolean {
  if (isOfKind('PlacedJob', event))
    return event.type === 'outcome.recorded' || event.type === 'member.observed';
  return event.type === 'job.observed' && event.data.object.metadata.annotations?.[PLACED_FOR] !== undefined;
}
