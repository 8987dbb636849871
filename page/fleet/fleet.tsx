import type { ReactElement } from 'react';
import { NEWEST_FIRST, type FleetAddress, type FleetFilters } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { LiveState } from '../api/live.ts';
import { Failure } from '../words/failure.tsx';
import { Filters } from './filters.tsx';
import { Groups } from './groups.tsx';
import { Histogram } from './histogram.tsx';
import { JobTable } from './job-table.tsx';
import { useJobs } from './use-jobs.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { ApiReadiness } from '../api/rows.ts';

const LIVE: Record<LiveState, string> = {
  opening: 'connecting to the stream of events',
  open: 'live',
  lost: 'not live: the stream of events is interrupted',
};

/** The Jobs of all clusters. */
export function Fleet({ address, change }: { address: FleetAddress; change: ChangeAddress }): ReactElement {
  const { filters, length, group, sort = NEWEST_FIRST } = address;
  const { jobs, query, live } = useJobs(filters, sort);
  const { isPending, hasNextPage, isFetching, error } = query;
  const more = hasNextPage ? ' loaded; scroll for more' : '';
  const show = (next: Partial<FleetAddress>, how: 'push' | 'replace' = 'replace'): void =>
    change({ view: 'fleet', ...address, ...next }, how);
  const showFilters = (next: FleetFilters): void => show({ filters: next });
  return (
    <main className="fleet">
      <div className="title">
        <h1>Jobs</h1>
        <a {...linkTo({ view: 'what-if', filters, set: [] }, change)}>
          What if these Jobs had another policy?
        </a>
      </div>
      <Filters filters={filters} onChange={showFilters} />
      <Histogram
        filters={filters}
        length={length ?? 'week'}
        onLength={(next) => show({ length: next })}
        // The rows come first: with many Jobs, finding them is much faster than counting.
        isWanted={!isPending}
        onPeriod={(period) => {
          const { from: _from, before: _before, ...rest } = filters;
          const next = period === null ? rest : { ...rest, from: period.from, before: period.to };
          show({ filters: next }, 'push');
        }}
      />
      <Groups
        filters={filters}
        by={group ?? null}
        onGroup={(next) => {
          const { group: _, ...rest } = address;
          change({ view: 'fleet', ...rest, ...(next !== null && { group: next }) }, 'replace');
        }}
        onFilters={showFilters}
      />
      <p className="status-line" role="status">
        <span className={`live live-${live}`}>{LIVE[live]}</span>
        {isPending ? ' · loading' : ` · ${jobs.length} Jobs${more}`}
        <Lag />
      </p>
      {error !== null && <Failure error={error} />}
      {!isPending && error === null && jobs.length === 0 && <p>No Job matches.</p>}
      <JobTable
        jobs={jobs}
        sort={sort}
        onSort={(next) => show({ sort: next })}
        change={change}
        onEnd={() => {
          if (hasNextPage && !isFetching) void query.fetchNextPage();
        }}
      />
    </main>
  );
}

const REFRESH_MS = 15_000;

/** The lag of the tables behind the ledger; nothing if it is unknown. */
function Lag(): ReactElement | null {
  const { data: words } = useQuery({
    queryKey: ['lag'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      // Even an API that is not ready reports this.
      const { data: ready, error: unready } = await api.GET('/readyz', { signal });
      const { parts } = (ready ?? unready) as Partial<ApiReadiness>;
      return parts?.['projection']?.detail ?? null;
    },
  });
  if (words === undefined || words === null) return null;
  return <> · {words}</>;
}
