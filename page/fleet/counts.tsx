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

/** How many Jobs are in each state; a click shows those. */
export function Counts(props: {
  filters: FleetFilters;
  isWanted: boolean;
  onState: (state: readonly string[]) => void;
}): ReactElement {
  const { filters, isWanted, onState } = props;
  const { state: chosen = [], ...others } = filters;
  const counts = useCounts(others, isWanted);
  const now = useNow();
  return (
    <ul className="tiles" aria-label="Jobs by status">
      {tilesOf(counts, now).map(({ state, jobs, more }) => {
        const isChosen = chosen.includes(state);
        return (
          <li key={state}>
            <button
              type="button"
              className={`tile tone-${toneOf(state)} ${jobs === 0 ? 'zero' : ''}`}
              aria-pressed={isChosen}
              onClick={() => onState(isChosen ? [] : [state])}
            >
              <span className="tile-name">{state}</span>
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
