import type { ShownAvailability } from '../../../services/contracts/cluster-availability.ts';
import { limitsOf } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import { span } from '../../print/spans.ts';
import { table } from '../../print/table.ts';

/** A row as the tables and the API have it. */
export interface ShownCluster {
  name: string;
  uid: string | null;
  version: string | null;
  apis: string[] | null;
  last_connected_at: string | null;
  jobs: number;
  unfinished: number;
  gap_count: number;
  last_gap_from: string | null;
  last_gap_to: string | null;
  last_api_request_at: string | null;
  active_pods: number;
  placed: number;
  /** Null: not known. */
  availability: ShownAvailability | null;
  /** Null: not known. */
  dead_letters: number | null;
  first_dead_letter_at: string | null;
  /** Null: not known. */
  shards: readonly { leader: string | null; version: string | null }[] | null;
  jobs_heard_at: string | null;
  pods_heard_at: string | null;
}

type Column<C> = readonly [title: string, cell: (cluster: C) => string];

/** A row for each cluster. `more`: columns before the numbers of its Jobs. */
export function clusterTable<C extends ShownCluster>(
  clusters: readonly C[],
  now: number,
  more: readonly Column<C>[] = [],
): string {
  const ago = (time: string | null): string => (time === null ? '' : `${span(Date.parse(time), now)} ago`);
  const columns: readonly Column<C>[] = [
    ['NAME', ({ name }) => name],
    ['UID', ({ uid }) => uid ?? ''],
    ['VERSION', ({ version }) => version ?? ''],
    [
      'WITHOUT',
      (each) =>
        limitsOf(each)
          .map(({ feature }) => feature)
          .join(','),
    ],
    ['CONNECTED', (each) => each.last_connected_at ?? ''],
    ['LEADER', leaderCell],
    ['INGESTER', ({ shards }) => [...new Set(shards?.flatMap(({ version }) => version ?? []))].join(' ')],
    ['JOBS HEARD', (each) => ago(each.jobs_heard_at)],
    ['PODS HEARD', (each) => ago(each.pods_heard_at)],
    ...more,
    ['JOBS', ({ jobs }) => String(jobs)],
    ['UNFINISHED', ({ unfinished }) => String(unfinished)],
    ['PLACED', (each) => String(each.placed)],
    ['PLACEMENT', placementCell],
    ['ACTIVE PODS', (each) => String(each.active_pods)],
    ['GAPS', ({ gap_count: gaps }) => String(gaps)],
    [
      'LAST GAP',
      ({ last_gap_from: from, last_gap_to: to }) => (to === null ? '' : `${from ?? '?'} to ${to}`),
    ],
    ['LAST REQUEST', ({ last_api_request_at: at }) => (at === null ? 'not recorded' : ago(at))],
    ['DEAD LETTERS', deadLettersCell],
  ];
  return table(
    columns.map(([title]) => title),
    clusters.map((each) => columns.map(([, cell]) => cell(each))),
  );
}

/** Whether placed Jobs can run there. */
function placementCell({ availability }: ShownCluster): string {
  if (availability === null) return '';
  const { cordoned, lost, silent_since: silentSince } = availability;
  return [
    lost === null ? null : `lost, said ${lost.by}`,
    silentSince === null ? null : `silent since ${silentSince}`,
    cordoned === null ? null : `${cordoned.drain ? 'drained' : 'cordoned'} by ${cordoned.by}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** One for each shard; `-` where none leads. */
function leaderCell({ shards }: ShownCluster): string {
  return (shards ?? []).map(({ leader }) => leader ?? '-').join(' ');
}

function deadLettersCell({ dead_letters: count, first_dead_letter_at: first }: ShownCluster): string {
  return first === null ? String(count ?? '') : `${count} since ${first}`;
}
