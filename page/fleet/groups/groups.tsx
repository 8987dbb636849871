import type { ReactElement } from 'react';
import type { FleetFilters } from '../../address/page-address.ts';
import type { Grouping } from '../../../services/read-model/shown/job-lists.ts';
import type { JobGroup } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { Name } from '../../components/name.tsx';
import { filtersOfGroup } from './group-filters.ts';
import { useGroups } from './use-groups.ts';

/** The matching Jobs counted by a property, as bars. A click on a group filters by the group, if a filter for it exists. */
export function Groups(props: {
  filters: FleetFilters;
  by: Grouping;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { filters, by, onFilters } = props;
  const { data: groups, error } = useGroups(filters, by);
  const items = groups?.by === by ? groups.items : [];
  const most = Math.max(1, ...items.map(({ job_count: count }) => count));
  return (
    <section className="groups" aria-label="Groups">
      {error !== null && <Failure error={error} />}
      {groups?.by === by && items.length === 0 && <p className="muted">No group: no Job has one.</p>}
      <ul>
        {items.map((group) => (
          <li key={group.value}>
            <GroupBar
              group={group}
              share={(group.job_count / most) * 100}
              filters={filtersOfGroup(filters, by, group.value)}
              onFilters={onFilters}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One group: a bar with its number of Jobs, and a link that filters by the group. */
function GroupBar(props: {
  group: JobGroup;
  share: number;
  filters: FleetFilters | null;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { group, share, filters, onFilters } = props;
  const { value, job_count: count, active, message } = group;
  const inside = (
    <>
      <Name text={message ?? value} />{' '}
      <span className="count">
        {count.toLocaleString('en')}
        {active > 0 && <span className="muted">, {active.toLocaleString('en')} pods</span>}
      </span>
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
        <rect className="track-ground" width="100" height="2" />
        <rect className="fill-brand" width={share} height="2" />
      </svg>
    </>
  );
  if (filters === null) return <span className="group">{inside}</span>;
  return (
    <button type="button" className="group" onClick={() => onFilters(filters)}>
      {inside}
    </button>
  );
}
