import type { ShownAvailability } from '../../../services/live-topic/cluster-availability.ts';
import { clusterLimits } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import { span } from '../../print/spans.ts';
import { table } from '../../print/table.ts';

/** A row in the form of the tables and the API. */
export interface ShownCluster {
  name: string;
  uid: string | null;
  version: string | null;
  apis: string[] | null;
  not_recorded: string[];
  last_connected_at: string | null;
  job_count: number;
  unfinished_count: number;
  gap_count: number;
  last_gap_since: string | null;
  last_gap_until: string | null;
  last_api_request_at: string | null;
  active_pod_count: number;
  placed_count: number;
  /** Null: not known. */
  availability: ShownAvailability | null;
  /** Null: not known. */
  dead_letter_count: number | null;
  first_dead_letter_at: string | null;
  /** Null: not known. */
  shards: readonly { leader: string | null; version: string | null }[] | null;
  jobs_received_at: string | null;
  pods_received_at: string | null;
}

type Column<C> = readonly [title: string, cell: (cluster: C) => string];

/** A row for each cluster. `more` has further columns, which precede the numbers of Jobs. */
export function clusterTable<C extends ShownCluster>(
  clusters: readonly C[],
  now: number,
  more: readonly Column<C>[] = [],
): string {
  // The time since an instant, such as `2m10s ago`; empty for no instant.
  const ago = (time: string | null): string => (time === null ? '' : `${span(Date.parse(time), now)} ago`);
  const columns: readonly Column<C>[] = [
    ['NAME', ({ name }) => name],
    ['UID', ({ uid }) => uid ?? ''],
    ['VERSION', ({ version }) => version ?? ''],
    [
      'WITHOUT',
      (each) =>
        clusterLimits(each)
          .map(({ feature }) => feature)
          .join(','),
    ],
    ['CONNECTED', (each) => each.last_connected_at ?? ''],
    ['LEADER', leaderCell],
    ['INGESTER', ({ shards }) => [...new Set(shards?.flatMap(({ version }) => version ?? []))].join(' ')],
    ['JOBS RECEIVED', (each) => ago(each.jobs_received_at)],
    ['PODS RECEIVED', (each) => ago(each.pods_received_at)],
    ...more,
    ['JOBS', ({ job_count: count }) => String(count)],
    ['UNFINISHED', ({ unfinished_count: count }) => String(count)],
    ['PLACED', (each) => String(each.placed_count)],
    ['PLACEMENT', placementCell],
    ['ACTIVE PODS', (each) => String(each.active_pod_count)],
    ['GAPS', ({ gap_count: gaps }) => String(gaps)],
    [
      'LAST GAP',
      ({ last_gap_since: from, last_gap_until: to }) => (to === null ? '' : `${from ?? '?'} to ${to}`),
    ],
    ['LAST REQUEST', ({ last_api_request_at: at }) => (at === null ? 'not recorded' : ago(at))],
    ['DEAD LETTERS', deadLettersCell],
  ];
  return table(
    columns.map(([title]) => title),
    clusters.map((each) => columns.map(([, cell]) => cell(each))),
  );
}

/** The reasons why the cluster takes no placed Jobs; empty if it takes them. */
function placementCell({ availability }: ShownCluster): string {
  if (availability === null) return '';
  const { cordoned, lost, silent_since: silentSince } = availability;
  return [
    lost === null ? null : `lost, by ${lost.by}`,
    silentSince === null ? null : `silent since ${silentSince}`,
    cordoned === null ? null : `${cordoned.drain ? 'drained' : 'cordoned'} by ${cordoned.by}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** One leader for each shard; `-` where no ingester leads. */
function leaderCell({ shards }: ShownCluster): string {
  return (shards ?? []).map(({ leader }) => leader ?? '-').join(' ');
}

/** The number of dead letters, with the instant of the first one. */
function deadLettersCell({ dead_letter_count: count, first_dead_letter_at: first }: ShownCluster): string {
  return first === null ? String(count ?? '') : `${count} since ${first}`;
}
