import type { FleetFilters } from '../address/page-address.ts';

/** The filters, in the form of the API's routes about many Jobs. */
export interface FleetQuery {
  cluster?: string;
  namespace?: string;
  text?: string;
  state?: string[];
  status?: string;
  reason?: string;
  label?: string[];
  owner?: string;
  created_from?: string;
  created_before?: string;
  deleted: 'true' | 'false';
}

export function queryOf(filters: FleetFilters): FleetQuery {
  const { state = [], status = [], labels = [], from, before, deleted, ...rest } = filters;
  return {
    ...rest,
    ...(state.length > 0 && { state: [...state] }),
    ...(status.length > 0 && { status: status.join(',') }),
    ...(labels.length > 0 && { label: [...labels] }),
    ...(from !== undefined && { created_from: new Date(from).toISOString() }),
    ...(before !== undefined && { created_before: new Date(before).toISOString() }),
    deleted: deleted === 'hidden' ? 'false' : 'true',
  };
}
