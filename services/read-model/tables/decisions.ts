import { boolean, instant, integer, nullable, shortText, defineTable, text, type RowOf } from './table.ts';

/** One decision; the columns are described in the migrations. */
export const DECISIONS = defineTable({
  name: 'decisions',
  key: ['cluster', 'job_uid', 'id'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    id: shortText,
    namespace: text,
    job_name: text,
    number: integer,
    predecessor: nullable(text),
    first_run_id: text,
    now: instant,
    recorded_at: instant,
    core: text,
    command_count: integer,
    next_decision_at: nullable(instant),
    waiting_rule: nullable(text),
    waiting_message: nullable(text),
    broken: nullable(text),
    superseded: boolean,
  },
});
export type DecisionRow = RowOf<typeof DECISIONS>;

/** One command of a decision, and its last outcome. */
export const COMMANDS = defineTable({
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
    pod_count: nullable(integer),
    decided_at: instant,
    last_attempt: integer,
    outcome_at: nullable(instant),
    result: nullable(text),
    error: nullable(text),
  },
});
export type CommandRow = RowOf<typeof COMMANDS>;
