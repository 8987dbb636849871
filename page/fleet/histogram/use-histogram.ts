import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FleetFilters } from '../../address/page-address.ts';
import { api, requireBody } from '../../api/client.ts';
import type { JobHistogram, ListedGap } from '../../api/rows.ts';
import type { TimeRange } from '../../components/time-range.ts';
import { fleetQuery } from '../../api/fleet-query.ts';
import { SERIES } from './bars.ts';

const BUCKETS = 80;
const REFRESH_MS = 15_000;

/** The largest number of shown gaps. */
const MOST_GAPS = 500;

export interface ShownHistogram {
  histogram: JobHistogram;
  gaps: ListedGap[];
  isWhole: boolean;
}

/**
 * The numbers of Jobs over time, in the chosen period or in the latest `latest` milliseconds; an unchosen period that is mostly empty becomes shorter.
 */
export function useHistogram(
  filters: FleetFilters,
  latest: number,
  enabled: boolean,
): { data: ShownHistogram | undefined; error: Error | null } {
  const { from: chosen, before } = filters;
  const whole = useRange(filters, { key: latest, enabled }, () => {
    const to = before ?? Math.max(Date.now(), (chosen ?? 0) + 1000);
    return { from: chosen ?? to - latest, to };
  });
  // The page never shortens a period that the user has chosen.
  const range = whole.data === undefined || chosen !== undefined ? null : fittedRange(whole.data.histogram);
  const fitted = useRange(filters, { key: range, enabled: range !== null }, () => range);
  const shown = range === null ? whole : { ...fitted, data: fitted.data ?? whole.data };
  return { data: shown.data, error: whole.error ?? fitted.error };
}

/** Reads the histogram of a range, and the gaps in it; `key` identifies the range for the cache. */
function useRange(
  filters: FleetFilters,
  { key, enabled }: { key: unknown; enabled: boolean },
  rangeNow: () => TimeRange | null,
): { data: ShownHistogram | undefined; error: Error | null } {
  return useQuery({
    queryKey: ['histogram', filters, key],
    enabled,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const range = rangeNow();
      if (range === null) throw new Error('no range to read');
      const histogram = await read(filters, range, signal);
      const { from: since, before: until } = histogram;
      const { cluster } = filters;
      const query = { ...(cluster !== undefined && { cluster }), since, until, limit: MOST_GAPS };
      const gaps = await requireBody(api.GET('/v1/gaps', { params: { query }, signal }));
      return { histogram, gaps: gaps.items, isWhole: gaps.next === null };
    },
  });
}

/** Reads the histogram of a range. */
function read(filters: FleetFilters, { from, to }: TimeRange, signal: AbortSignal): Promise<JobHistogram> {
  const query = {
    ...fleetQuery(filters),
    from: new Date(from).toISOString(),
    before: new Date(to).toISOString(),
    buckets: BUCKETS,
  };
  return requireBody(api.GET('/v1/histogram', { params: { query }, signal }));
}

/** A histogram that fills a smaller share of its range is drawn again in a shorter range. */
const SPARSE = 0.6;

/** The shortest range, in milliseconds. */
const SHORTEST = 60_000;

/** The range from the first count of a histogram to its end; null if the histogram is empty, or if it fills its range already. */
function fittedRange({ from, before, step_ms: step, buckets }: JobHistogram): TimeRange | null {
  const start = Date.parse(from);
  const end = Date.parse(before);
  // True when a bucket has counts.
  const isFull = (bucket: JobHistogram['buckets'][number]): boolean =>
    SERIES.some((series) => bucket[series] > 0);
  const first = buckets.findIndex(isFull);
  if (first < 0) return null;
  const begin = Math.max(start, start + first * step - step / 2);
  if (end - begin >= (end - start) * SPARSE || end - start <= SHORTEST) return null;
  return { from: Math.floor(Math.min(begin, end - SHORTEST)), to: end };
}
