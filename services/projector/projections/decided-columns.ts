import type { CronJobDecided } from '../../../workflows/cron-job/events.ts';
import type { JobDecided } from '../../../workflows/job/events.ts';
import { isBefore } from '../../../workflows/decision/folding.ts';
import type { DecidedColumns } from '../../read-model/tables/decided.ts';
import { instantAt } from './instants.ts';

/** The values that a decision gives to the columns of a row. */
export function decidedColumns(
  row: DecidedColumns,
  { id, data }: JobDecided | CronJobDecided,
): Partial<DecidedColumns> {
  const counted = {
    decision_count: row.decision_count + 1,
    command_count: row.command_count + data.commands.length,
  };
  // A decision that was recorded late changes only the counts, because a later decision determines the other columns.
  if (row.last_decision !== null && isBefore(data, lastDecided(row))) return counted;
  const now = instantAt(data.now);
  const sameReason =
    row.waiting_rule === (data.waiting?.rule ?? null) &&
    row.waiting_message === (data.waiting?.message ?? null);
  return {
    ...counted,
    last_decision: id,
    last_decision_number: data.number,
    last_decided_at: now,
    first_run_id: data.firstRunId,
    next_decision_at: instantAt(data.nextDecisionAt),
    waiting_rule: data.waiting?.rule ?? null,
    waiting_message: data.waiting?.message ?? null,
    waiting_since: sameReason ? row.waiting_since : data.waiting === null ? null : now,
  };
}

/** The instant and number of the last decision of a row with a decision. */
export function lastDecided({
  last_decided_at: at,
  last_decision_number: number,
}: Pick<DecidedColumns, 'last_decided_at' | 'last_decision_number'>): { now: number; number: number } {
  return { now: at === null ? 0 : Date.parse(at), number };
}
