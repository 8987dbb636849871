import { useInfiniteQuery, useQueryClient, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { FleetFilters, Sort } from '../../address/page-address.ts';
import { api, requireBody } from '../../api/client.ts';
import { followEvents } from '../../api/live.ts';
import type { ListedJob } from '../../api/rows.ts';
import { createChangedJobs, readChangedJobs } from './changed-jobs.ts';
import { fleetQuery } from '../../api/fleet-query.ts';
import { withFreshJobs, type JobPages } from './job-rows.ts';

const PAGE_SIZE = 200;

/** Milliseconds between two readings of changed Jobs. */
const POLL_MS = 1000;

/** The Jobs that the filters select, page by page; the stream of events keeps them up to date. */
export function useJobs(
  filters: FleetFilters,
  sort: Sort,
): {
  jobs: ListedJob[];
  query: UseInfiniteQueryResult<JobPages>;
} {
  const queries = useQueryClient();
  const text = JSON.stringify(filters);
  const query = useInfiniteQuery({
    queryKey: ['jobs', text, sort],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => jobsPage(filters, sort, pageParam, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  useEffect(() => {
    const shown = JSON.parse(text) as FleetFilters;
    const key = ['jobs', text, sort];
    const changed = createChangedJobs();
    const { cluster, namespace } = shown;
    const stop = followEvents(
      { ...(cluster !== undefined && { cluster }), ...(namespace !== undefined && { namespace }) },
      changed.add,
      (state) => {
        // The Jobs are read again, because the stream lacks the changes before its opening.
        if (state === 'open') void queries.invalidateQueries({ queryKey: key });
      },
    );
    let isReading = false;
    const timer = setInterval(() => {
      const batch = isReading ? [] : changed.take();
      if (batch.length === 0) return;
      isReading = true;
      readChangedJobs(batch)
        .then(({ fresh, gone }) => {
          queries.setQueryData<JobPages>(
            key,
            (old) => old && withFreshJobs(old, { filters: shown, sort }, fresh, gone),
          );
        })
        // The next round reads these Jobs again.
        .catch(() => changed.putBack(batch))
        .finally(() => (isReading = false));
    }, POLL_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [text, sort, queries]);
  const jobs = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return { jobs, query };
}

/** Reads a page of Jobs. */
function jobsPage(
  filters: FleetFilters,
  sort: Sort,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<JobPages['pages'][number]> {
  const query = {
    ...fleetQuery(filters),
    sort,
    ...(cursor !== undefined && { cursor }),
    limit: PAGE_SIZE,
  };
  return requireBody(api.GET('/v1/jobs', { params: { query }, signal }));
}
