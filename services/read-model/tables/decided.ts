import { instant, integer, nullable, text, type RowIn } from './table.ts';

/** The columns of a Job or CronJob that come from its decisions; the migrations describe them. */
export const DECIDED_COLUMNS = {
  decision_count: integer,
  command_count: integer,
  failed_command_count: integer,
  last_decision: nullable(text),
  last_decision_number: integer,
  last_decided_at: nullable(instant),
  first_run_id: nullable(text),
  next_decision_at: nullable(instant),
  waiting_rule: nullable(text),
  waiting_message: nullable(text),
  waiting_since: nullable(instant),
} as const;
export type DecidedColumns = RowIn<typeof DECIDED_COLUMNS>;

/** The values before the first decision. */
export const UNDECIDED: DecidedColumns = {
  decision_count: 0,
  command_count: 0,
  failed_command_count: 0,
  last_decision: null,
  last_decision_number: 0,
  last_decided_at: null,
  first_run_id: null,
  next_decision_at: null,
  waiting_rule: null,
  waiting_message: null,
  waiting_since: null,
};
