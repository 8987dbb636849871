import type { ReactElement } from 'react';
import type { FleetFilters } from './page-address.ts';
import { linkTo, type ChangeAddress } from './use-page-address.ts';

/** A link to the fleet. */
export function WayBack({
  filters = {},
  change,
}: {
  filters?: FleetFilters;
  change: ChangeAddress;
}): ReactElement {
  return (
    <nav aria-label="Way back">
      <a {...linkTo({ view: 'fleet', filters }, change)}>All Jobs</a>
    </nav>
  );
}
