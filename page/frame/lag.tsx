import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/client.ts';
import type { ApiReadiness } from '../api/rows.ts';

const REFRESH_MS = 15_000;

/** The lag of the tables behind the ledger; empty if the lag is unknown. */
export function Lag(): ReactElement | null {
  const { data: message } = useQuery({
    queryKey: ['lag'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      // An API that is not ready also reports the lag, so its response is read too.
      const { data: ready, error: unready } = await api.GET('/readyz', { signal });
      const { parts } = (ready ?? unready) as Partial<ApiReadiness>;
      return parts?.['projection']?.detail ?? null;
    },
  });
  if (message === undefined || message === null) return null;
  return <span>{message}</span>;
}
