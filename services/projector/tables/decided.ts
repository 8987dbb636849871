import type { ColumnType } from './table.ts';

/** The columns of a Job or CronJob that come from its decisions; the migrations describe them. */
export interface DecidedColumns {
  decisions: number;
  commands: number;
  failed_commands: number;
  last_decision: string | null;
  last_number: number;
  last_decided_at: string | null;
  chain: string | null;
  look_again_at: string | null;
  waiting_rule: string | null;
  waiting_words: string | null;
  waiting_since: string | null;
}

export const DECIDED_COLUMNS = {
  decisions: 'integer',
  commands: 'integer',
  failed_commands: 'integer',
  last_decision: 'text',
  last_number: 'integer',
  last_decided_at: 'timestamptz',
  chain: 'text',
  look_again_at: 'timestamptz',
  waiting_rule: 'text',
  waiting_words: 'text',
  waiting_since: 'timestamptz',
} as const satisfies Record<keyof DecidedColumns, ColumnType>;

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
