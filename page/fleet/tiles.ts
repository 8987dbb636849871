import type { StateCount } from '../api/rows.ts';
import { roughDuration } from '../components/instants.ts';

/** The states that always have a tile; another state has a tile while Jobs have this state. */
const ALWAYS = ['Running', 'Pending', 'Retrying', 'Failed', 'Succeeded'];

export interface Tile {
  status: string;
  /** The value is null until the Jobs are counted. */
  jobs: number | null;
  /** A remark beside the number. */
  more: string;
}

/** The tiles above the fleet, in a fixed order. */
export function statusTiles(counts: readonly StateCount[] | undefined, now: number): Tile[] {
  if (counts === undefined) return ALWAYS.map((status) => ({ status, jobs: null, more: '' }));
  const byState = new Map<string, StateCount>(counts.map((count) => [count.status, count]));
  const others = counts.filter(({ status, job_count: jobs }) => jobs > 0 && !ALWAYS.includes(status));
  const ended = (byState.get('Failed')?.job_count ?? 0) + (byState.get('Succeeded')?.job_count ?? 0);
  return [...ALWAYS, ...others.map(({ status }) => status).toSorted()].map((status) => {
    const count = byState.get(status);
    return {
      status,
      jobs: count?.job_count ?? 0,
      more: count === undefined ? '' : tileRemark(count, ended, now),
    };
  });
}

/** The remark of a tile, such as the number of active pods or the age of the oldest Job. */
function tileRemark(
  { status, job_count: jobs, active, oldest }: StateCount,
  ended: number,
  now: number,
): string {
  if (status === 'Failed' || status === 'Succeeded')
    return ended === 0 ? '' : `${((jobs / ended) * 100).toFixed(1)} % of ended`;
  if (status === 'Running') return `${active.toLocaleString('en')} ${active === 1 ? 'pod' : 'pods'}`;
  return jobs === 0 || oldest === null ? '' : `oldest ${roughDuration(now - Date.parse(oldest))}`;
}
