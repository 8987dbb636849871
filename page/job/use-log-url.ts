import { useQuery } from '@tanstack/react-query';
import { API, authorizedFetch } from '../api/client.ts';

/** The template of links to logs in the API's configuration; null if none is configured. */
export function useLogUrl(enabled: boolean): string | null {
  const { data = null } = useQuery({
    queryKey: ['log-url'],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await authorizedFetch(`${API}/ui/logs`, { signal });
      return response.ok ? ((await response.json()) as { url: string | null }).url : null;
    },
  });
  return data;
}
