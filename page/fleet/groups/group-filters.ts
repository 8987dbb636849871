import type { FleetFilters } from '../../address/page-address.ts';
import type { Grouping } from '../../../services/read-model/shown/job-lists.ts';

/** The names of the groupings on the page. */
export const GROUP_TITLES: Record<Grouping, string> = {
  reason: 'reason',
  status: 'status',
  cluster: 'cluster',
  namespace: 'namespace',
  owner: 'owner',
  waiting: 'wait of open Jobs',
  failure: 'condition of failed Jobs',
  kubectl_status: 'Kubernetes’ status',
};

/** The filters that show one group; null if no filter can select the group. */
export function filtersOfGroup(filters: FleetFilters, by: Grouping, value: string): FleetFilters | null {
  switch (by) {
    case 'waiting':
    case 'failure':
      return null;
    case 'status':
      return { ...filters, status: [value] };
    case 'kubectl_status':
      return { ...filters, kubectlStatus: [value] };
    case 'reason':
    case 'cluster':
    case 'namespace':
    case 'owner':
      return { ...filters, [by]: value };
  }
}
