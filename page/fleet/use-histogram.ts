import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FleetFilters } from '../address/page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { JobHistogram, ListedGap } from '../api/rows.ts';
import type { TimeRange } from '../job/time-range.ts';
import { fittedRange } from './fitted-range.ts';
import { queryOf } from './fleet-query.ts';

const BUCKETS = 80;
const REFRESH_MS = 15_000;

/** The most gaps shown. */
const MOST_GAPS = 500;

/** How often a range is shortened to fit. */
const FITS = 3;

export interface ShownHistogram {
  histogram: JobHistogram;
  gaps: ListedGap[];
  isWhole: boolean;
}

/** Jobs over time, in a range that fits them: the chosen period, or at most `latest` milliseconds until now. */
export function useHistogram(
  filters: FleetFilters,
  latest: number,
  enabled: boolean,
): { data: ShownHistogram | undefined; error: Error | null } {
  return useQuery({
    queryKey: ['histogram', filters, latest],
    enabled,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const to = filters.before ?? Math.max(Date.now(), (filters.from ?? 0) + 1000);
      const histogram = await fitted(filters, { from: filters.from ?? to - latest, to }, signal);
      const { from: since, before: until } = histogram;
      const { cluster } = filters;
      const query = { ...(cluster !== undefined && { cluster }), since, until, limit: MOST_GAPS };
      const gaps = await bodyOf(api.GET('/v1/gaps', { params: { query }, signal }));
      return { histogram, gaps: gaps.items, isWhole: gaps.next === null };
    },
  });
}

async function fitted(filters: FleetFilters, whole: TimeRange, signal: AbortSignal): Promise<JobHistogram> {
  let histogram = await read(filters, whole, signal);
  // A chosen period stays as it was chosen.
  for (let fits = 0; fits < FITS && filters.from === undefined; fits++) {
    const range = fittedRange(histogram);
    if (range === null) break;
    histogram = await read(filters, range, signal);
  }
  return histogram;
}

function read(filters: FleetFilters, { from, to }: TimeRange, signal: AbortSignal): Promise<JobHistogram> {
  const query = {
    ...queryOf(filters),
    from: new Date(from).toISOString(),
    before: new Date(to).toISOString(),
    buckets: BUCKETS,
  };
  return bodyOf(api.GET('/v1/histogram', { params: { query }, signal }));
}
