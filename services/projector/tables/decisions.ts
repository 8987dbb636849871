import type { Table } from './table.ts';

/** One decision; the columns are described in the migrations. */
export interface DecisionRow {
  cluster: string;
  job_uid: string;
  id: string;
  namespace: string;
  job_name: string;
  number: number;
  predecessor: string | null;
  chain: string;
  now: string;
  recorded_at: string;
  core: string;
  commands: number;
  look_again_at: string | null;
  waiting_rule: string | null;
  waiting_words: string | null;
  superseded: boolean;
}

export const DECISIONS: Table<DecisionRow> = {
  name: 'decisions',
  key: ['cluster', 'job_uid', 'id'],
  columns: {
    cluster: 'text',
    job_uid: 'text',
    id: 'text',
    namespace: 'text',
    job_name: 'text',
    number: 'integer',
    predecessor: 'text',
    chain: 'text',
    now: 'timestamptz',
    recorded_at: 'timestamptz',
    core: 'text',
    commands: 'integer',
    look_again_at: 'timestamptz',
    waiting_rule: 'text',
    waiting_words: 'text',
    superseded: 'boolean',
  },
};

/** One command of a decision, and its last outcome. */
export interface CommandRow {
  cluster: string;
  job_uid: string;
  decision: string;
  command: number;
  namespace: string;
  job_name: string;
  number: number;
  kind: string;
  rule: string;
  words: string;
  pods: number | null;
  decided_at: string;
  attempts: number;
  answered_at: string | null;
  result: string | null;
  error: string | null;
}

export const COMMANDS: Table<CommandRow> = {
  name: 'commands',
  key: ['cluster', 'job_uid', 'decision', 'command'],
  columns: {
    cluster: 'text',
    job_uid: 'text',
    decision: 'text',
    command: 'integer',
    namespace: 'text',
    job_name: 'text',
    number: 'integer',
    kind: 'text',
    rule: 'text',
    words: 'text',
    pods: 'integer',
    decided_at: 'timestamptz',
    attempts: 'integer',
    answered_at: 'timestamptz',
    result: 'text',
    error: 'text',
  },
};
