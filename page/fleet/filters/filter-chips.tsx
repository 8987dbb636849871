import type { ReactElement } from 'react';
import type { FleetFilters } from '../../address/page-address.ts';
import type { ListedJob } from '../../api/rows.ts';
import { Name } from '../../components/name.tsx';
import { AddFilter } from './add-filter.tsx';
import { filterChips } from './filter-text.ts';

/** The chosen filters, each with a cross, and the button that adds a filter. */
export function FilterChips(props: {
  filters: FleetFilters;
  /** The listed rows, whose labels are suggested. */
  jobs: readonly ListedJob[];
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { filters, jobs, onFilters } = props;
  return (
    <ul className="chips" aria-label="Filters">
      {filterChips(filters, Date.now()).map(({ about, value, without }) => (
        <li key={`${about} ${value}`} className="chip">
          <span className="muted">{about}</span> <Name text={value} />
          <button
            type="button"
            aria-label={`Remove the filter ${about} ${value.slice(0, 100)}`}
            onClick={() => onFilters(without)}
          >
            ×
          </button>
        </li>
      ))}
      <li>
        <AddFilter filters={filters} jobs={jobs} onFilters={onFilters} />
      </li>
    </ul>
  );
}
