import { CLUSTERS, GAPS, type ClusterRow, type GapRow } from '../tables/clusters.ts';
import { COMMANDS, DECISIONS, type CommandRow, type DecisionRow } from '../tables/decisions.ts';
import { JOB_STATUSES, type JobStatusRow } from '../tables/job-statuses.ts';
import { CONDITIONS, JOBS, type ConditionRow, type JobRow } from '../tables/jobs.ts';
import { CREATIONS, PODS, type CreationRow, type PodRow } from '../tables/pods.ts';
import { keyText, textOfKey, type Table } from '../tables/table.ts';

/** Rows of one table in memory, and which of them changed since they were loaded. */
export interface Staged<Row> {
  table: Table<Row>;
  rows: Map<string, Row>;
  changed: Set<string>;
}

/** Every row that the current events may read or change. */
export interface Rows {
  clusters: Staged<ClusterRow>;
  jobs: Staged<JobRow>;
  pods: Staged<PodRow>;
  creations: Staged<CreationRow>;
  decisions: Staged<DecisionRow>;
  commands: Staged<CommandRow>;
  /** These are only added, never read or changed. */
  conditions: Staged<ConditionRow>;
  statuses: Staged<JobStatusRow>;
  gaps: Staged<GapRow>;
}

export function emptyRows(): Rows {
  return {
    clusters: staged(CLUSTERS),
    jobs: staged(JOBS),
    pods: staged(PODS),
    creations: staged(CREATIONS),
    decisions: staged(DECISIONS),
    commands: staged(COMMANDS),
    conditions: staged(CONDITIONS),
    statuses: staged(JOB_STATUSES),
    gaps: staged(GAPS),
  };
}

export function find<Row>({ rows }: Staged<Row>, ...key: readonly (string | number)[]): Row | undefined {
  return rows.get(textOfKey(key));
}

export function put<Row>(into: Staged<Row>, row: Row): void {
  const key = keyText(into.table, row);
  if (into.rows.get(key) === row) return;
  into.rows.set(key, row);
  into.changed.add(key);
}

/** Adds rows whose key does not exist yet. */
export function putMissing<Row>(into: Staged<Row>, rows: readonly Row[]): void {
  for (const row of rows) if (!into.rows.has(keyText(into.table, row))) put(into, row);
}

/** Calls `visit` for each table in turn. */
export async function eachTable(
  rows: Rows,
  visit: <Row>(staged: Staged<Row>) => Promise<void>,
): Promise<void> {
  await visit(rows.clusters);
  await visit(rows.jobs);
  await visit(rows.creations);
  await visit(rows.pods);
  await visit(rows.decisions);
  await visit(rows.commands);
  await visit(rows.conditions);
  await visit(rows.statuses);
  await visit(rows.gaps);
}

/** Adds rows loaded from the database, as unchanged. */
export function load<Row>(into: Staged<Row>, rows: readonly Row[]): void {
  for (const row of rows) into.rows.set(keyText(into.table, row), row);
}

export function changedRows<Row>({ rows, changed }: Staged<Row>): Row[] {
  return [...changed].flatMap((key) => rows.get(key) ?? []);
}

function staged<Row>(table: Table<Row>): Staged<Row> {
  return { table, rows: new Map(), changed: new Set() };
}
