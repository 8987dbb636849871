import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../services/adapters/postgres/database.ts';
import { sql, type Statement } from '../services/adapters/postgres/statement.ts';
import { table } from '../cli/print/table.ts';

const POLL_MS = 200;

/** Resolves when the tables contain the end of every Job and the outcome of every command sent for it. */
export async function untilRecorded(
  database: Database,
  uids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const [row] = await database.run<{ all_there: boolean }>(recordedStatement(uids));
    if (row?.all_there === true) return;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** The statement that shows whether the tables contain the end of these Jobs and the outcomes of their commands. */
function recordedStatement(uids: readonly string[]): Statement {
  return sql`select
      (select count(*) from jobledger.jobs where uid = any(${uids}) and finished_at is not null) = ${uids.length}
      and not exists (
        select from jobledger.commands c join jobledger.decisions d on d.id = c.decision
        where c.job_uid = any(${uids}) and c.outcome_at is null and not d.superseded
      ) as all_there`;
}

/** A query of the demo. The uids of the Jobs are the only parameter of its statement. */
interface Question {
  readonly title: string;
  readonly statement: string;
  /** True when the demo shows the result only with --verbose. */
  readonly isDetail: boolean;
}

export const QUESTIONS: readonly Question[] = [
  {
    title: 'The reasons for the creation and the end of each pod, which SQL keeps after the pods are deleted',
    statement: `select name, creation_message, end_message
from jobledger.pods
where job_uid = any($1) order by created_at`,
    isDetail: false,
  },
  {
    title: 'jobledger.jobs, one row per Job',
    statement: `select namespace, name, kubectl_status, succeeded, failed, started_at, finished_at
from jobledger.jobs
where uid = any($1) order by finished_at`,
    isDetail: true,
  },
  {
    title: 'jobledger.decisions and jobledger.commands, with their reasons',
    statement: `select d.job_name, d.number, d.now, coalesce(c.kind, 'wait') as command,
  coalesce(c.rule, d.waiting_rule) as rule, coalesce(c.message, d.waiting_message) as why
from jobledger.decisions d left join jobledger.commands c on c.decision = d.id
where d.job_uid = any($1) order by d.job_name, d.number, d.recorded_at, c.command`,
    isDetail: true,
  },
];

/** The result of a statement, formatted as psql prints it. */
export async function resultText(
  database: Database,
  statement: string,
  uids: readonly string[],
): Promise<string> {
  const rows = await database.run<Record<string, string | number | null>>({
    text: statement,
    values: [uids],
  });
  const columns = Object.keys(rows[0] ?? {});
  return table(
    columns,
    rows.map((row) => columns.map((column) => String(row[column] ?? ''))),
  );
}
