import type { CronJobDecided } from '../../../workflows/cron-job/events.ts';
import type { JobDecided } from '../../../workflows/job/events.ts';
import type { JobRow } from '../tables/jobs.ts';
import { instantAt } from './instants.ts';

/** What the row of a Job or CronJob contains of its decisions. */
type DecidedColumns = Pick<
  JobRow,
  | 'decisions'
  | 'commands'
  | 'last_decision'
  | 'last_number'
  | 'last_decided_at'
  | 'chain'
  | 'look_again_at'
  | 'waiting_rule'
  | 'waiting_words'
  | 'waiting_since'
>;

/** These columns of a row after a decision. */
export function decidedColumns(
  row: DecidedColumns,
  { id, data }: JobDecided | CronJobDecided,
): Partial<DecidedColumns> {
  const counted = { decisions: row.decisions + 1, commands: row.commands + data.commands.length };
  // An earlier number that arrives late: later decisions already exist.
  if (data.number < row.last_number) return counted;
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
