import { instant, integer, orNull, text, type RowIn } from './table.ts';

/** The columns of a Job or CronJob that come from its decisions; the migrations describe them. */
export const DECIDED_COLUMNS = {
  decisions: integer,
  commands: integer,
  failed_commands: integer,
  last_decision: orNull(text),
  last_number: integer,
  last_decided_at: orNull(instant),
  chain: orNull(text),
  look_again_at: orNull(instant),
  waiting_rule: orNull(text),
  waiting_words: orNull(text),
  waiting_since: orNull(instant),
} as const;
export type DecidedColumns = RowIn<typeof DECIDED_COLUMNS>;

/** Before the first decision. */
export const UNDECIDED: DecidedColumns = {
  decisions: 0,
  commands: 0,
  failed_commands: 0,
  last_decision: null,
  last_number: 0,
  last_decided_at: null,
  chain: null,
  look_again_at: null,
  waiting_rule: null,
  waiting_words: null,
  waiting_since: null,
};
