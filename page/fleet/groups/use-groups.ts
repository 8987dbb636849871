import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { FleetFilters } from '../../address/page-address.ts';
import type { Grouping } from '../../../services/read-model/shown/job-lists.ts';
import { api, requireBody } from '../../api/client.ts';
import type { JobGroup } from '../../api/rows.ts';
import { fleetQuery } from '../../api/fleet-query.ts';

const REFRESH_MS = 15_000;
const MOST_GROUPS = 50;

/** The matching Jobs counted by a property; null without grouping. */
export function useGroups(
  filters: FleetFilters,
  by: Grouping | null,
): UseQueryResult<{ by: Grouping; items: JobGroup[] } | null> {
  return useQuery({
    queryKey: ['groups', by, filters],
    enabled: by !== null,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (by === null) return null;
      const query = { ...fleetQuery(filters), by, limit: MOST_GROUPS };
      const { items } = await requireBody(api.GET('/v1/groups', { params: { query }, signal }));
      return { by, items };
    },
  });
}
