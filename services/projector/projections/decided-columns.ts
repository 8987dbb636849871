import type { CronJobDecided } from '../../../workflows/cron-job/events.ts';
import type { JobDecided } from '../../../workflows/job/events.ts';
import { isBefore } from '../../../workflows/job/record/folding.ts';
import type { DecidedColumns } from '../../read-model/tables/decided.ts';
import { instantAt } from './instants.ts';

/** These columns of a row after a decision. */
export function decidedColumns(
  row: DecidedColumns,
  { id, data }: JobDecided | CronJobDecided,
): Partial<DecidedColumns> {
  const counted = { decisions: row.decisions + 1, commands: row.commands + data.commands.length };
  // Recorded late: a later decision stands.
  if (row.last_decision !== null && isBefore(data, lastDecided(row))) return counted;
  const now = instantAt(data.now);
  const sameReason =
    row.waiting_rule === (data.waiting?.rule ?? null) && row.waiting_words === (data.waiting?.words ?? null);
  return {
    ...counted,
    last_decision: id,
    last_number: data.number,
    last_decided_at: now,
    chain: data.chain,
    look_again_at: instantAt(data.lookAgainAt),
    waiting_rule: data.waiting?.rule ?? null,
    waiting_words: data.waiting?.words ?? null,
    waiting_since: sameReason ? row.waiting_since : data.waiting === null ? null : now,
  };
}

/** Instant and number of the last decision of a row that has one. */
export function lastDecided({
  last_decided_at: at,
  last_number: number,
}: Pick<DecidedColumns, 'last_decided_at' | 'last_number'>): { now: number; number: number } {
  return { now: at === null ? 0 : Date.parse(at), number };
}
