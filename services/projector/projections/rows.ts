import { API_REQUESTS, type ApiRequestRow } from '../../read-model/tables/api-requests.ts';
import { CHAINS, type ChainRow } from '../../read-model/tables/chains.ts';
import { CLUSTERS, GAPS, type ClusterRow, type GapRow } from '../../read-model/tables/clusters.ts';
import {
  CRON_JOBS,
  CRON_JOB_STARTS,
  CRON_JOB_VERSIONS,
  type CronJobRow,
  type CronJobStartRow,
  type CronJobVersionRow,
} from '../../read-model/tables/cron-jobs.ts';
import { COMMANDS, DECISIONS, type CommandRow, type DecisionRow } from '../../read-model/tables/decisions.ts';
import {
  DROPPED_KUBERNETES_EVENTS,
  KUBERNETES_EVENTS,
  type DroppedKubernetesEventsRow,
  type KubernetesEventRow,
} from '../../read-model/tables/kubernetes-events.ts';
import { JOB_STATUSES, type JobStatusRow } from '../../read-model/tables/job-statuses.ts';
import { CONDITIONS, JOBS, type ConditionRow, type JobRow } from '../../read-model/tables/jobs.ts';
import { CREATIONS, PODS, type CreationRow, type PodRow } from '../../read-model/tables/pods.ts';
import { NODE_VERSIONS, type NodeVersionRow } from '../../read-model/tables/nodes.ts';
import { APPLIED_PRICES, type AppliedPriceRow } from '../../read-model/tables/prices.ts';
import { PLACEMENTS, type PlacementRow } from '../../read-model/tables/placements.ts';
import { columnNames, keyText, textOfKey, type Key } from '../statements.ts';
import { fittingValue, type Table } from '../../read-model/tables/table.ts';

interface RowTypes {
  clusters: ClusterRow;
  jobs: JobRow;
  creations: CreationRow;
  pods: PodRow;
  decisions: DecisionRow;
  commands: CommandRow;
  conditions: ConditionRow;
  apiRequests: ApiRequestRow;
  kubernetesEvents: KubernetesEventRow;
  droppedEvents: DroppedKubernetesEventsRow;
  statuses: JobStatusRow;
  chains: ChainRow;
  placements: PlacementRow;
  gaps: GapRow;
  prices: AppliedPriceRow;
  nodeVersions: NodeVersionRow;
  cronJobs: CronJobRow;
  cronJobVersions: CronJobVersionRow;
  cronJobStarts: CronJobStartRow;
}

type Name = keyof RowTypes;

/** The rows of one table in memory. */
export interface Staged<Row> {
  table: Table<Row>;
  /** The rows in the database; undefined for a missing row. */
  stored: Map<string, Row | undefined>;
  changed: Map<string, Row>;
  /** The keys of rows that were looked up and are in neither map. */
  missing: Map<string, Key>;
}

/** The rows of every table that is projected. */
export type Rows = { [Each in Name]: Staged<RowTypes[Each]> };

/** The rows that an event adds or changes. */
export type Changes = { [Each in Name]?: readonly RowTypes[Each][] };

export function emptyRows(): Rows {
  return {
    clusters: createStaged(CLUSTERS),
    jobs: createStaged(JOBS),
    creations: createStaged(CREATIONS),
    pods: createStaged(PODS),
    decisions: createStaged(DECISIONS),
    commands: createStaged(COMMANDS),
    conditions: createStaged(CONDITIONS),
    apiRequests: createStaged(API_REQUESTS),
    kubernetesEvents: createStaged(KUBERNETES_EVENTS),
    droppedEvents: createStaged(DROPPED_KUBERNETES_EVENTS),
    statuses: createStaged(JOB_STATUSES),
    chains: createStaged(CHAINS),
    placements: createStaged(PLACEMENTS),
    gaps: createStaged(GAPS),
    prices: createStaged(APPLIED_PRICES),
    nodeVersions: createStaged(NODE_VERSIONS),
    cronJobs: createStaged(CRON_JOBS),
    cronJobVersions: createStaged(CRON_JOB_VERSIONS),
    cronJobStarts: createStaged(CRON_JOB_STARTS),
  };
}

function createStaged<Row>(table: Table<Row>): Staged<Row> {
  return { table, stored: new Map(), changed: new Map(), missing: new Map() };
}

/** Finds the row with a key; a row that is not in memory is added to `missing`, so that the next round loads it. */
export function findStored<Row>(
  { table, stored, changed, missing }: Staged<Row>,
  ...wanted: Key
): Row | undefined {
  const key = table.key.map((column, at) =>
    fittingValue(table.columns[column], wanted[at]),
  ) as unknown as Key;
  const text = textOfKey(key);
  const row = changed.get(text) ?? stored.get(text);
  if (row === undefined && !stored.has(text)) missing.set(text, key);
  return row;
}

/** Adds changed rows, with values that fit into their columns. */
export function putRows<Row>({ table, stored, changed }: Staged<Row>, rows: readonly Row[]): void {
  for (const given of rows) {
    const row = fittingRow(table, given);
    const key = keyText(table, row);
    const before = changed.get(key) ?? stored.get(key);
    if (row !== before && !(table.isAppendOnly === true && before !== undefined)) changed.set(key, row);
  }
}

/** A row with values that fit into their columns; the given row if all of its values fit. */
function fittingRow<Row>(table: Table<Row>, row: Row): Row {
  let fitted = row;
  for (const column of columnNames(table)) {
    const value = fittingValue(table.columns[column], row[column]);
    if (value !== row[column]) fitted = { ...fitted, [column]: value };
  }
  return fitted;
}

export function putChanges(rows: Rows, changes: Changes): void {
  for (const name of Object.keys(changes) as Name[]) putRowsOfTable(rows, changes, name);
}

function putRowsOfTable<One extends Name>(rows: Rows, changes: Pick<Changes, One>, name: One): void {
  putRows(rows[name], changes[name] ?? []);
}

type Visit = <Row>(staged: Staged<Row>) => Promise<void>;

/** Calls `visit` for each table in turn. */
export async function visitTables(rows: Rows, visit: Visit): Promise<void> {
  for (const name of Object.keys(rows) as Name[]) await visitTable(rows, name, visit);
}

function visitTable<One extends Name>(rows: Pick<Rows, One>, name: One, visit: Visit): Promise<void> {
  return visit(rows[name]);
}
