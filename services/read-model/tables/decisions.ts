import { boolean, instant, integer, orNull, shortText, table, text, type RowOf } from './table.ts';

/** One decision; the columns are described in the migrations. */
export const DECISIONS = table({
  name: 'decisions',
  key: ['cluster', 'job_uid', 'id'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    id: shortText,
    namespace: text,
    job_name: text,
    number: integer,
    predecessor: orNull(text),
    first_run_id: text,
    now: instant,
    recorded_at: instant,
    core: text,
    command_count: integer,
    next_decision_at: orNull(instant),
    waiting_rule: orNull(text),
    waiting_message: orNull(text),
    broken: orNull(text),
    superseded: boolean,
  },
});
export type DecisionRow = RowOf<typeof DECISIONS>;

/** One command of a decision, and its last outcome. */
export const COMMANDS = table({
  name: 'commands',
  key: ['cluster', 'job_uid', 'decision', 'command'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    decision: shortText,
    command: integer,
    namespace: text,
    job_name: text,
    decision_number: integer,
    kind: text,
    rule: text,
    message: text,
    pod_count: orNull(integer),
    decided_at: instant,
    last_attempt: integer,
    outcome_at: orNull(instant),
    result: orNull(text),
    error: orNull(text),
  },
});
export type CommandRow = RowOf<typeof COMMANDS>;
