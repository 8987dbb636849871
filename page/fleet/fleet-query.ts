import type { FleetFilters } from '../address/page-address.ts';

/** The filters, in the form of the API's routes about many Jobs. */
export interface FleetQuery {
  cluster?: string;
  namespace?: string;
  text?: string;
  status?: string;
  label?: string[];
  owner?: string;
  created_from?: string;
  created_before?: string;
}

export function queryOf({ status = [], labels = [], from, before, ...rest }: FleetFilters): FleetQuery {
  return {
    ...rest,
    ...(status.length > 0 && { status: status.join(',') }),
    ...(labels.length > 0 && { label: [...labels] }),
    ...(from !== undefined && { created_from: new Date(from).toISOString() }),
    ...(before !== undefined && { created_before: new Date(before).toISOString() }),
  };
}
