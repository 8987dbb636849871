import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/client.ts';
import type { ApiReadiness } from '../api/rows.ts';

const REFRESH_MS = 15_000;

/** How far the tables are behind the ledger; nothing when this is not known. */
export function Lag(): ReactElement | null {
  const { data: words } = useQuery({
    queryKey: ['lag'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      // Also an API that is not ready says what it knows.
      const { data: ready, error: unready } = await api.GET('/readyz', { signal });
      const { parts } = (ready ?? unready) as Partial<ApiReadiness>;
      return parts?.['projection']?.detail ?? null;
    },
  });
  if (words === undefined || words === null) return null;
  return <> · {words}</>;
}
