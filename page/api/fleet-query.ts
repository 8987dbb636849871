import type { FleetFilters } from '../address/page-address.ts';

/** The query of the API's routes for many Jobs, from the filters. */
export interface FleetQuery {
  cluster?: string;
  namespace?: string;
  text?: string;
  status?: string[];
  kubectl_status?: string;
  reason?: string;
  label?: string[];
  owner?: string;
  created_from?: string;
  created_before?: string;
  deleted: 'true' | 'false';
}

/** The query of the API for the filters. */
export function fleetQuery(filters: FleetFilters): FleetQuery {
  const { status = [], kubectlStatus = [], labels = [], from, before, deleted, ...rest } = filters;
  return {
    ...rest,
    ...(status.length > 0 && { status: [...status] }),
    ...(kubectlStatus.length > 0 && { kubectl_status: kubectlStatus.join(',') }),
    ...(labels.length > 0 && { label: [...labels] }),
    ...(from !== undefined && { created_from: new Date(from).toISOString() }),
    ...(before !== undefined && { created_before: new Date(before).toISOString() }),
    deleted: deleted === 'hidden' ? 'false' : 'true',
  };
}
