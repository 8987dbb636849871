import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { FleetFilters } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { LiveState } from '../api/live.ts';
import { Failure } from '../words/failure.tsx';
import { Filters } from './filters.tsx';
import { Groups } from './groups.tsx';
import { Histogram } from './histogram.tsx';
import { JobTable } from './job-table.tsx';
import { useJobs } from './use-jobs.ts';

const LIVE: Record<LiveState, string> = {
  opening: 'connecting to the stream of events',
  open: 'live',
  lost: 'not live: the stream of events is interrupted',
};

/** The Jobs of all clusters. */
export function Fleet({ filters, change }: { filters: FleetFilters; change: ChangeAddress }): ReactElement {
  const { jobs, query, live } = useJobs(filters);
  const clusters = useQuery({
    queryKey: ['clusters'],
    queryFn: ({ signal }) => bodyOf(api.GET('/v1/clusters', { signal })),
  });
  const { isPending, hasNextPage, isFetching, error } = query;
  const more = hasNextPage ? ' loaded; scroll for more' : '';
  const show = (next: FleetFilters): void => change({ view: 'fleet', filters: next }, 'replace');
  return (
    <main className="fleet">
      <h1>Jobs</h1>
      <Filters
        filters={filters}
        clusters={clusters.data?.items.map(({ name }) => name) ?? []}
        onChange={show}
      />
      <Histogram
        filters={filters}
        // The rows come first: of many Jobs they are found much faster than the counts.
        isWanted={!isPending}
        onPeriod={(period) => {
          const { from: _from, before: _before, ...rest } = filters;
          const next = period === null ? rest : { ...rest, from: period.from, before: period.to };
          change({ view: 'fleet', filters: next }, 'push');
        }}
      />
      <Groups filters={filters} onChange={show} />
      <p className="status-line" role="status">
        <span className={`live live-${live}`}>{LIVE[live]}</span>
        {isPending ? ' · loading' : ` · ${jobs.length} Jobs${more}`}
      </p>
      {error !== null && <Failure error={error} />}
      {!isPending && error === null && jobs.length === 0 && <p>No Job matches.</p>}
      <JobTable
        jobs={jobs}
        change={change}
        onEnd={() => {
          if (hasNextPage && !isFetching) void query.fetchNextPage();
        }}
      />
    </main>
  );
}
