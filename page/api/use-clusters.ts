import { useQuery } from '@tanstack/react-query';
import { api, requireBody } from './client.ts';

/** The names of the clusters that were ever connected; the list is empty until the page has read them. */
export function useClusters(): readonly string[] {
  const { data: names = [] } = useQuery({
    queryKey: ['clusters'],
    queryFn: async ({ signal }) => {
      const { items } = await requireBody(api.GET('/v1/clusters', { signal }));
      return items.map(({ name }) => name);
    },
  });
  return names;
}
