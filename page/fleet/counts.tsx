import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { FleetFilters } from '../address/page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { StateCount } from '../api/rows.ts';
import { useNow } from '../words/ago.tsx';
import { toneOf } from '../words/tone.ts';
import { queryOf } from './fleet-query.ts';
import { tilesOf } from './tiles.ts';

const REFRESH_MS = 15_000;

/** How many Jobs are in each status; a click shows those. */
export function Counts(props: {
  filters: FleetFilters;
  isWanted: boolean;
  onStatus: (status: readonly string[]) => void;
}): ReactElement {
  const { filters, isWanted, onStatus } = props;
  const { status: chosen = [], ...others } = filters;
  const counts = useCounts(others, isWanted);
  const now = useNow();
  return (
    <ul className="tiles" aria-label="Jobs by status">
      {tilesOf(counts, now).map(({ status, jobs, more }) => {
        const isChosen = chosen.includes(status);
        return (
          <li key={status}>
            <button
              type="button"
              className={`tile tone-${toneOf(status)} ${jobs === 0 ? 'zero' : ''}`}
              aria-pressed={isChosen}
              onClick={() => onStatus(isChosen ? [] : [status])}
            >
              <span className="tile-name">{status}</span>
              <span className="tile-count">{jobs === null ? '…' : jobs.toLocaleString('en')}</span>
              <span className="tile-more">{more}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function useCounts(filters: FleetFilters, enabled: boolean): readonly StateCount[] | undefined {
  return useQuery({
    queryKey: ['counts', filters],
    enabled,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/v1/counts', { params: { query: queryOf(filters) }, signal }))).items,
  }).data;
}
