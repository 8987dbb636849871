import type { ReactElement } from 'react';
import { useLiveness, type LiveState } from '../api/liveness.ts';
import { useUnreachable } from '../api/reachability.ts';
import type { Tone } from '../components/tone.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { ApiReadiness } from '../api/rows.ts';

const WORDS: Record<LiveState, [message: string, tone: Tone]> = {
  opening: ['connecting', 'waiting'],
  open: ['live', 'succeeded'],
  lost: ['not live', 'failed'],
};

/** Shows whether the page updates by itself. */
export function Liveness(): ReactElement | null {
  const state = useLiveness();
  const since = useUnreachable();
  if (state === null && since === null) return null;
  const [message, tone] = WORDS[since === null ? (state ?? 'opening') : 'lost'];
  return (
    <span role="status" className={`live tone-${tone}`}>
      {message}
    </span>
  );
}

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
