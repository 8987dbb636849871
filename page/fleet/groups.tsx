import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { GROUPINGS, type FleetFilters, type Grouping } from '../address/page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { JobGroup } from '../api/rows.ts';
import { Failure } from '../words/failure.tsx';
import { Name } from '../words/name.tsx';
import { queryOf } from './fleet-query.ts';

const REFRESH_MS = 15_000;
const MOST_GROUPS = 50;

/** The labels of the groupings. */
const TITLES: Record<Grouping, string> = {
  cluster: 'cluster',
  namespace: 'namespace',
  owner: 'owner',
  status: 'status',
  waiting: 'what open Jobs wait for',
  failure: 'reason of failure',
};

/** The matching Jobs counted by a property. Choosing a group filters by it, if such a filter exists. */
export function Groups(props: {
  filters: FleetFilters;
  by: Grouping | null;
  onGroup: (by: Grouping | null) => void;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { filters, by, onGroup, onFilters } = props;
  const { data: groups, error } = useQuery({
    queryKey: ['groups', by, filters],
    enabled: by !== null,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (by === null) return null;
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
          value={by ?? ''}
          onChange={({ target }) => onGroup(GROUPINGS.find((each) => each === target.value) ?? null)}
        >
          <option value="">nothing</option>
          {GROUPINGS.map((each) => (
            <option key={each} value={each}>
              {TITLES[each]}
            </option>
          ))}
        </select>
      </label>
      {error !== null && <Failure error={error} />}
      {by !== null && groups?.by === by && groups.items.length === 0 && <span> no group</span>}
      {by !== null && groups?.by === by && (
        <ul>
          {groups.items.map((group) => (
            <li key={group.value}>
              <Group group={group} filters={filtersOf(filters, by, group.value)} onFilters={onFilters} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The filters that show one group; null if none does. */
function filtersOf(filters: FleetFilters, by: Grouping, value: string): FleetFilters | null {
  if (by === 'waiting' || by === 'failure') return null;
  return { ...filters, [by]: by === 'status' ? [value] : value };
}

function Group(props: {
  group: JobGroup;
  filters: FleetFilters | null;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { group, filters, onFilters } = props;
  const { value, jobs, active, words } = group;
  const text = (
    <>
      <Name text={value} /> {jobs}
      {active > 0 && `, ${active} active`}
    </>
  );
  if (filters === null) return <span title={words ?? undefined}>{text}</span>;
  return (
    <button type="button" onClick={() => onFilters(filters)}>
      {text}
    </button>
  );
}
