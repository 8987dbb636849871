import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { FleetFilters } from '../address/page-address.ts';
import { api, requireBody } from '../api/client.ts';
import type { StateCount } from '../api/rows.ts';
import { useNow } from '../components/ago.tsx';
import { statusTone } from '../components/tone.ts';
import { fleetQuery } from '../api/fleet-query.ts';
import { statusTiles } from './tiles.ts';

const REFRESH_MS = 15_000;

/** The number of Jobs in each status; a click shows these Jobs. */
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
      {statusTiles(counts, now).map(({ status, jobs, more }) => {
        const isChosen = chosen.includes(status);
        return (
          <li key={status}>
            <button
              type="button"
              className={`tile tone-${statusTone(status)} ${jobs === 0 ? 'zero' : ''}`}
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

/** The number of Jobs in each status; undefined until the API has counted them. */
function useCounts(filters: FleetFilters, enabled: boolean): readonly StateCount[] | undefined {
  return useQuery({
    queryKey: ['counts', filters],
    enabled,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await requireBody(api.GET('/v1/counts', { params: { query: fleetQuery(filters) }, signal }))).items,
  }).data;
}
