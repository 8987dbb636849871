import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { FleetFilters } from '../address/page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import { Failure } from '../words/failure.tsx';
import { Name } from '../words/name.tsx';
import { queryOf } from './fleet-query.ts';

const REFRESH_MS = 15_000;
const MOST_GROUPS = 50;

const GROUPED_BY = ['cluster', 'namespace', 'status'] as const;

/** The matching Jobs counted by a property; each group can be chosen as a filter. */
export function Groups(props: {
  filters: FleetFilters;
  onChange: (filters: FleetFilters) => void;
}): ReactElement {
  const { filters, onChange } = props;
  const [by, setBy] = useState<(typeof GROUPED_BY)[number] | ''>('');
  const { data: groups, error } = useQuery({
    queryKey: ['groups', by, filters],
    enabled: by !== '',
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (by === '') return null;
      const query = { ...queryOf(filters), by, limit: MOST_GROUPS };
      const { items } = await bodyOf(api.GET('/v1/groups', { params: { query }, signal }));
      return { by, items };
    },
  });
  return (
    <section className="groups" aria-label="Groups">
      <label>
        Group by{' '}
        <select
          value={by}
          onChange={({ target }) => setBy(GROUPED_BY.find((each) => each === target.value) ?? '')}
        >
          <option value="">nothing</option>
          {GROUPED_BY.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {error !== null && <Failure error={error} />}
      {by !== '' && groups?.by === by && (
        <ul>
          {groups.items.map(({ value, jobs }) => (
            <li key={value}>
              <button
                type="button"
                onClick={() => onChange({ ...filters, [by]: by === 'status' ? [value] : value })}
              >
                <Name text={value} /> {jobs}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
